//! What a page says of itself, for the markup that it lacks: each value with what proves that it is of this page.

mod buy_block;
mod headline;
mod list;
mod offering;
mod profiles;
pub(crate) mod proven;
mod site;
mod trail;

use std::borrow::Cow;
use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde_json::Value;
use url::Url;

use self::proven::{Proof, Proven};
use crate::audit::address;
use crate::audit::availability::{Availability, contains_phrase, folded};
use crate::audit::facts::author::AuthorSource;
use crate::audit::facts::draft;
use crate::audit::facts::main_entity::MainEntity;
use crate::audit::facts::properties::{check_digit_is_right, is_iso_date};
use crate::audit::facts::visible;
use crate::audit::markup::family::is_organization;
use crate::audit::money::{Money, prices};
use crate::audit::page::{AuditedPage, PageFact};
use crate::audit::profile::{PossibleProfiles, Profile};
use crate::audit::prose::byline;
use crate::page::content::{Image, TimeContext};
use crate::page::surroundings::PictureSize;
use crate::text::excerpt::is_unprintable;

/// Characters of a value.
const MAX_CHARS: usize = 320;
/// Attributes that are named.
const MAX_PAIRS: usize = 20;
/// Pictures that are looked at.
const MAX_IMAGES: usize = 20;

/// What parts the name of a thing from that of its site in a title.
const TITLE_MARKS: [&str; 8] = [" | ", " – ", " — ", " - ", " • ", " · ", " :: ", " » "];

/// What a page offers that is not a thing.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Offering {
    /// Programs.
    Software,
    /// Work.
    Service,
}

/// What a page says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatedFacts {
    /// The main heading, if the title agrees.
    pub(crate) name: Option<Proven<String>>,
    /// The description of the head, else the first longer paragraph.
    pub(crate) description: Option<String>,
    /// The picture of the page; absolute.
    pub(crate) image: Option<Proven<String>>,
    /// The canonical address, else the page's own.
    pub(crate) url: Option<String>,
    /// Name of the site, from `og:site_name` or an organization of the markup.
    pub(crate) site: Option<String>,
    /// Address of the home page.
    pub(crate) home: Option<String>,
    /// The image that the page itself calls its logo.
    pub(crate) logo: Option<Proven<String>>,
    /// `lang` of the page.
    pub(crate) lang: Option<String>,
    /// The brand that the page names, else the site if the name of the thing has it.
    pub(crate) brand: Option<String>,
    /// The price beside the main heading, its currency if that is given.
    pub(crate) price: Option<Proven<Money>>,
    /// Whether the page says beside the main heading that it can be had.
    pub(crate) availability: Option<Proven<Availability>>,
    /// `sku`.
    pub(crate) sku: Option<String>,
    /// `gtin` with a right check digit.
    pub(crate) gtin: Option<String>,
    /// Attributes and their values.
    pub(crate) pairs: Vec<(String, String)>,
    /// The person who wrote it, as a byline says.
    pub(crate) author: Option<Proven<String>>,
    /// When it was published.
    pub(crate) published: Option<Proven<String>>,
    /// When it was changed.
    pub(crate) modified: Option<Proven<String>>,
    /// Addresses of profiles that the page links to.
    pub(crate) profiles: Vec<String>,
    /// The path to the page: names and absolute addresses.
    pub(crate) breadcrumbs: Option<Proven<Vec<(String, String)>>>,
    /// Names and absolute addresses of what a collection lists.
    pub(crate) members: Option<Proven<Vec<(String, String)>>>,
    /// What the page offers besides goods, if something shows it.
    pub(crate) offering: Option<Offering>,
    /// The day of the audit.
    pub(crate) today: NaiveDate,
}

impl StatedFacts {
    /// What a page says of itself.
    pub(crate) fn from_page(page: &AuditedPage<'_>) -> Self {
        let facts = page.page();
        let resolve = resolver(page);
        let meta = |key| {
            clean(facts.metas(key).map(|meta| meta.content.as_str()).find(|v| !v.is_empty())?)
        };
        let url = own_url(page, &resolve);
        let site = site::name(page, &resolve);
        let name = headline::find(page, &resolve, site.as_deref());
        let headline = name.as_ref().map(|name| name.value.as_str());
        let mut found = Self {
            description: description(page),
            image: image(page, &resolve, headline),
            home: url.as_ref().and_then(|url| url.join("/").ok()).map(String::from),
            url: url.map(String::from),
            logo: logo(page, &resolve),
            lang: facts
                .lang
                .as_ref()
                .filter(|_| facts.lang_is_valid())
                .map(|lang| lang.value.clone()),
            price: buy_block::price(page),
            availability: buy_block::availability(page),
            author: author(page, site.as_deref()),
            published: date(page, "article:published_time", "publish"),
            modified: date(page, "article:modified_time", "modif"),
            profiles: profiles::profiles(page, &resolve, site.as_deref()),
            breadcrumbs: trail::find(page, &resolve, headline),
            members: list::find(page, &resolve),
            offering: offering::find(page, headline, site.as_deref()),
            today: page.today(),
            name,
            ..Self::default()
        };
        found.read_pairs(page);
        found.sku = found.sku.or_else(|| meta("product:retailer_item_id"));
        found.brand = found
            .brand
            .or_else(|| meta("product:brand"))
            .or_else(|| meta("og:brand"))
            .or_else(|| site.clone().filter(|site| is_brand(page, site)));
        found.site = site;
        found
    }

    /// The name of what the page is about.
    pub(crate) fn name(&self) -> Option<String> {
        value(self.name.as_ref())
    }

    fn read_pairs(&mut self, page: &AuditedPage<'_>) {
        for pair in &page.content.pairs {
            let key = pair.key.trim_start_matches(|ch: char| !ch.is_alphanumeric());
            let (Some(key), Some(value)) = (clean(key), clean(&pair.value)) else { continue };
            match folded(&key).as_str() {
                "sku" | "stok kodu" | "urun kodu" | "item number" | "article number" => {
                    self.sku.get_or_insert(value);
                }
                "gtin" | "ean" | "upc" | "barkod" | "barcode" | "isbn"
                    if check_digit_is_right(&value) =>
                {
                    self.gtin.get_or_insert(value);
                }
                "brand" | "marka" | "manufacturer" | "uretici" => {
                    self.brand.get_or_insert(value);
                }
                // What programs pass on is for them, and a price is not an attribute.
                _ if key.contains('_') || value.contains("://") || !prices(&value).is_empty() => {}
                _ if self.pairs.len() < MAX_PAIRS => self.pairs.push((key, value)),
                _ => {}
            }
        }
    }
}

/// A value without its proof.
pub(crate) fn value<T: Clone>(proven: Option<&Proven<T>>) -> Option<T> {
    proven.map(|proven| proven.value.clone())
}

/// Text that is safe in a value; `None` if nothing is left. What was escaped twice is read once more. What has
/// braces or brackets may be a style sheet, a template or a shortcode that no one meant to be read.
pub(crate) fn clean(text: &str) -> Option<String> {
    let text = unescaped(text);
    if text.contains(['{', '}', '[', ']']) {
        return None;
    }
    // The mark of a link to the heading itself.
    let text = text.trim().trim_end_matches(['¶', '§', '🔗']);
    let printable = text.chars().map(|ch| if is_unprintable(ch) { ' ' } else { ch });
    let text: String = printable.take(MAX_CHARS * 4).collect();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = words.chars().take(MAX_CHARS).collect();
    (!cut.is_empty()).then_some(cut)
}

/// A text without references to characters, which a reader would see as they are.
fn unescaped(text: &str) -> Cow<'_, str> {
    const REFERENCES: [(&str, &str); 12] = [
        ("&amp;", "&"),
        ("&#x26;", "&"),
        ("&#38;", "&"),
        ("&quot;", "\""),
        ("&#34;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&#8217;", "’"),
        ("&#8211;", "–"),
        ("&nbsp;", " "),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ];
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let all = REFERENCES.iter();
    Cow::Owned(all.fold(text.to_owned(), |text, (from, to)| text.replace(from, to)))
}

/// What makes an address absolute.
type UrlResolver = dyn Fn(&str) -> Option<Url>;

/// Absolute addresses of links; without an address of the page, of absolute ones alone.
fn resolver(page: &AuditedPage<'_>) -> Box<UrlResolver> {
    match page.snapshot.location() {
        Some(location) => Box::new(page.page().resolver(location)),
        None => Box::new(move |href| {
            Url::parse(href.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
        }),
    }
}

/// Whether a text is the name of the site and nothing else.
fn is_site(text: &str, site: Option<&str>) -> bool {
    site.is_some_and(|site| folded(text).trim() == folded(site).trim())
}

/// The parts of a title that are not the name of the site.
fn title_parts<'t>(title: &'t str, site: Option<&str>) -> Vec<&'t str> {
    let mut parts = TITLE_MARKS.iter().fold(vec![title], |parts, mark| {
        parts.into_iter().flat_map(|part| part.split(mark)).take(20).collect()
    });
    parts.retain(|part| !part.trim().is_empty() && !is_site(part, site));
    parts
}

/// Whether a heading or a title names the site in the name of the thing: behind a dash or a bar of a
/// title, it is the shop and not the maker.
fn is_brand(page: &AuditedPage<'_>, site: &str) -> bool {
    let facts = page.page();
    let title = facts.title.iter().map(|title| title.value.as_str());
    let metas = facts.metas("og:title").map(|meta| meta.content.as_str());
    let headings = facts.h1s().map(|heading| heading.text.as_str());
    let site = folded(site);
    title.chain(metas).chain(headings).take(5).any(|text| {
        let mut parts = TITLE_MARKS.iter().fold(vec![text], |parts, mark| {
            parts.into_iter().flat_map(|part| part.split(mark)).take(20).collect()
        });
        parts.retain(|part| folded(part).trim() != site.trim());
        parts.into_iter().any(|part| contains_phrase(&folded(part), site.trim()))
    })
}

/// The name of the organization that the markup names first.
fn organization_name(page: &AuditedPage<'_>) -> Option<String> {
    let is_one = |types: &[String]| types.iter().any(|name| is_organization(name));
    let named = page.markup.entities.iter().filter(|entity| is_one(&entity.types));
    named.take(20).find_map(|entity| clean(&page.markup.text(&entity.object, "name")?))
}

fn description(page: &AuditedPage<'_>) -> Option<String> {
    let meta = page.page().description.as_ref().and_then(|text| clean(&text.value));
    meta.or_else(|| clean(&draft::statement(page)?.text))
}

/// The picture of the page: that of the head or of its markup, unless it is a logo, else a large one of the main
/// content. Others may be those of a newsletter, of a member or of another page.
fn image(
    page: &AuditedPage<'_>,
    resolve: &UrlResolver,
    headline: Option<&str>,
) -> Option<Proven<String>> {
    let metas = page.page().metas("og:image").map(|meta| meta.content.as_str());
    let of_head =
        metas.filter(|src| !src.is_empty() && !address::is_emblem(src)).take(20).find_map(resolve);
    if let Some(url) = of_head {
        return Some(Proven::new(url.into(), Proof::Head));
    }
    if let Some(url) = image_of_markup(page, resolve) {
        return Some(Proven::new(url.into(), Proof::Markup));
    }
    // What members post in a thread is not what it is about.
    let profiles = page.profiles();
    if profiles != PossibleProfiles::Any && profiles.may_be(Profile::Forum) {
        return None;
    }
    let document = &page.document;
    let mut known = BTreeSet::new();
    let twice: BTreeSet<&str> = page
        .content
        .images
        .iter()
        .map(|image| image.src.as_str())
        .filter(|src| !known.insert(*src))
        .collect();
    let pictures = page.content.images.iter().filter(|image| {
        !image.src.is_empty()
            && !twice.contains(image.src.as_str())
            && !address::is_emblem(&image.src)
            && !document.is_ornament(image.node)
            && !draft::is_in_later_part(page, image.node, image.line)
    });
    let pictures: Vec<&Image> = pictures.take(MAX_IMAGES).collect();
    let headline = headline.map(folded);
    let shows = |image: &&&Image| {
        let Some(headline) = headline.as_deref() else { return false };
        let alt = folded(image.alt.as_deref().unwrap_or_default());
        let is_part =
            alt.split_whitespace().nth(1).is_some() && contains_phrase(headline, alt.trim());
        is_part || contains_phrase(&alt, headline.trim())
    };
    let is_large = |image: &&&Image| document.picture_size(image.node) == PictureSize::Large;
    let is_small = |image: &&Image| document.picture_size(image.node) == PictureSize::Small;
    let named = pictures.iter().find(shows).filter(|image| !is_small(image));
    if let Some(image) = named {
        return Some(Proven::new(resolve(&image.src)?.into(), Proof::NamedImage));
    }
    let first = pictures.iter().find(is_large)?;
    let is_near = first.line <= near_end(page);
    is_near.then(|| Some(Proven::new(resolve(&first.src)?.into(), Proof::LargeImage)))?
}

/// The line where the first third of the own text of the page ends.
fn near_end(page: &AuditedPage<'_>) -> usize {
    let own = visible::own_blocks(page);
    own.get(own.len() / 3).or(own.last()).map_or(0, |block| block.line)
}

/// The picture that the markup gives the thing that the page is about.
fn image_of_markup(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Option<Url> {
    let main = MainEntity::for_page(page)?;
    let src = first_image(main.object.get("image")?, 3)?;
    Some(src).filter(|src| !address::is_emblem(src)).and_then(|src| resolve(&src))
}

/// The first address in a value of `image`: a text, an `ImageObject`, or a list of these.
fn first_image(value: &Value, depth: usize) -> Option<String> {
    match value {
        Value::String(src) => Some(src.trim().to_owned()).filter(|src| !src.is_empty()),
        Value::Array(all) if depth > 0 => all.iter().find_map(|one| first_image(one, depth - 1)),
        Value::Object(image) if depth > 0 => ["url", "contentUrl", "@id"]
            .into_iter()
            .find_map(|key| first_image(image.get(key)?, depth - 1)),
        _ => None,
    }
}

/// The address of the page: the canonical one, unless that is the home page and this page is not.
fn own_url(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Option<Url> {
    let location = page.snapshot.location();
    let is_home = |url: &Url| url.path() == "/" && url.query().is_none();
    let canonical = page.page().canonicals().find_map(|link| resolve(&link.href));
    canonical
        .filter(|url| !is_home(url) || location.is_none_or(is_home))
        .or_else(|| location.cloned())
        .map(|url| address::permanent(&url))
}

/// Whether a link leads to the home page of the site.
fn is_home(page: &AuditedPage<'_>, resolve: &UrlResolver, href: &str) -> bool {
    let Some(own) = page.snapshot.location() else { return false };
    resolve(href)
        .is_some_and(|url| url.host() == own.host() && url.path() == "/" && url.query().is_none())
}

/// The logo: the image in a link to the home page that is named so. An icon of the site is none: engines ask
/// for the logo itself, and for more pixels.
fn logo(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Option<Proven<String>> {
    let logo = page.document.logo_in_link(|href| is_home(page, resolve, href))?;
    Some(Proven::new(resolve(&logo.src)?.into(), Proof::HomeLink))
}

/// The person whose name a byline in sight has. What the markup alone says may be the account of an editor
/// or a key of a template, and a team is no person.
fn author(page: &AuditedPage<'_>, site: Option<&str>) -> Option<Proven<String>> {
    use AuthorSource::{Attribute, BesideDate, Class, Link, NearByline, VisibleMarkup};
    let author = page.author()?;
    let is_certain =
        matches!(author.source, VisibleMarkup | Attribute | NearByline | Class | Link | BesideDate)
            && author.is_beside_heading(page);
    let quote = author.evidence.excerpt.as_deref().map(folded).unwrap_or_default();
    let is_one = !contains_phrase(&quote, "authors");
    let name =
        clean(&author.name).filter(|name| is_certain && is_one && byline::is_person(name))?;
    let is_of_site = site.is_some_and(|site| folded(site).contains(&folded(&name)));
    (!is_of_site && !byline::names_group(&name)).then(|| Proven::new(name, Proof::Byline))
}

/// `2026-10-03T06:02:26-07:00` for `...-0700`: ISO 8601 has the colon in both times or in none.
fn with_colon_in_offset(date: &str) -> String {
    let split = date.len().checked_sub(4).and_then(|at| date.split_at_checked(at));
    let Some((before, offset)) = split else { return date.to_owned() };
    let is_offset = offset.bytes().all(|byte| byte.is_ascii_digit())
        && before.ends_with(['+', '-'])
        && before.contains('T')
        && before.contains(':');
    let minutes = offset.split_at_checked(2).filter(|_| is_offset);
    minutes.map_or_else(|| date.to_owned(), |(hours, minutes)| format!("{before}{hours}:{minutes}"))
}

/// A date of the head, else that of a `time` element with this hint.
fn date(page: &AuditedPage<'_>, key: &str, hint: &str) -> Option<Proven<String>> {
    let iso = |text: &str| {
        let day = crate::audit::markup::iso_day(text)?;
        let text = text.trim();
        Some(if is_iso_date(text) { with_colon_in_offset(text) } else { day.to_string() })
    };
    let meta = page.page().metas(key).map(|meta| meta.content.as_str()).find_map(iso);
    if let Some(text) = meta {
        return Some(Proven::new(text, Proof::Head));
    }
    let own =
        page.content.times.iter().filter(|time| time.is_main && time.place == TimeContext::Flow);
    let hinted = own.filter(|time| time.hints.contains(hint));
    let text = hinted.filter_map(|time| time.datetime.as_deref()).find_map(iso)?;
    Some(Proven::new(text, Proof::MarkedTime))
}

/// The byline of a page with the name in it.
pub(crate) fn byline_block<'a>(
    page: &'a AuditedPage<'_>,
) -> Option<(&'a crate::page::content::Block, String)> {
    let blocks = page.content.blocks.iter().take(200).filter(|block| block.words() <= 12);
    blocks.into_iter().find_map(|block| {
        let name = clean(byline::name_in(&block.text, page.language)?)?;
        (name.split(' ').count() <= 5).then_some((block, name))
    })
}

impl PageFact for StatedFacts {
    const IS_OF_TEXT: bool = false;

    fn derive(page: &AuditedPage<'_>) -> Self {
        Self::from_page(page)
    }
}

impl AuditedPage<'_> {
    /// What the page says of itself, for the markup that it lacks.
    pub(crate) fn stated(&self) -> &StatedFacts {
        self.fact::<StatedFacts>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn the_property_of_a_date_wins_over_its_class() {
        for (attributes, published, modified) in [
            ("class=published-time", true, false),
            ("class=published-time itemprop=dateModified", false, true),
            ("class='entry-date published updated' itemprop=datePublished", true, false),
            ("class='entry-date modified' itemprop=name", false, true),
        ] {
            let time = format!("<time datetime=2026-03-01 {attributes}>1 March 2026</time>");
            let html = format!("<main><h1>Bread</h1>{time}<p>{}</p></main>", "word ".repeat(60));
            let snapshot = fixture(&html);
            let page = snapshot.audited();
            let stated = page.stated();
            let found = (stated.published.is_some(), stated.modified.is_some());
            assert_eq!(found, (published, modified), "{attributes}");
        }
    }

    #[test]
    fn offsets_have_the_colon_of_their_times() {
        for (written, proposed) in [
            ("2025-10-03T06:02:26-0700", "2025-10-03T06:02:26-07:00"),
            ("2025-10-03T06:02:26+03:00", "2025-10-03T06:02:26+03:00"),
            ("20251003T060226-0700", "20251003T060226-0700"),
            ("2025-10-03", "2025-10-03"),
            ("2025", "2025"),
        ] {
            assert_eq!(with_colon_in_offset(written), proposed);
        }
    }
}
