//! Collects facts from the visible page for the markup that it lacks.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use url::Url;

use crate::audit::address;
use crate::audit::availability::{Availability, contains_phrase, folded};
use crate::audit::markup::family::is_organization;
use crate::audit::markup::{check_digit_is_right, visible};
use crate::audit::money::{Currency, Money, prices};
use crate::audit::page::AuditedPage;
use crate::audit::profile::{Address, Topic, sells};
use crate::audit::prose::byline;
use crate::audit::signals::trust::identity::is_name;
use crate::page::Page;
use crate::text::excerpt::is_unprintable;

/// Characters of a value.
const MAX_CHARS: usize = 320;
/// Profiles that are named.
const MAX_PROFILES: usize = 8;
/// Attributes that are named.
const MAX_PAIRS: usize = 20;
/// Members of a list that are named.
const MAX_MEMBERS: usize = 20;
/// Links that are looked at for them, and words of the name of one.
const MAX_LINKS: usize = 1_000;
const MAX_ITEM_WORDS: usize = 60;
/// Words of the names of things; those of categories have fewer.
const MIN_ITEM_WORDS: usize = 3;

/// Bytes of a link or button that invites.
const MAX_INVITATION_BYTES: usize = 40;

/// What parts the name of a thing from that of its site in a title.
const TITLE_MARKS: [&str; 4] = [" | ", " – ", " — ", " - "];

/// A network whose members have pages of their own.
struct Profile {
    host: &'static str,
    /// The text before the name of a member, if anything.
    before: &'static [&'static str],
}

impl Profile {
    /// Whether a path is that of a member: the name alone behind what comes before it.
    fn has(&self, path: &str) -> bool {
        /// Pages of the networks themselves.
        const OWN: [&str; 22] = [
            "about",
            "ads",
            "dialog",
            "explore",
            "features",
            "hashtag",
            "help",
            "home",
            "intent",
            "join",
            "legal",
            "login",
            "plugins",
            "policies",
            "privacy",
            "search",
            "settings",
            "share",
            "sharer",
            "sharer.php",
            "signup",
            "watch",
        ];
        let mut segments = path.trim_matches('/').split('/');
        let first = segments.next().unwrap_or_default();
        let name = match self.before {
            [] => Some(first),
            before if before.contains(&first) => segments.next(),
            before => before.contains(&"@").then_some(first).filter(|name| name.starts_with('@')),
        };
        name.is_some_and(|name| {
            !name.is_empty() && !OWN.contains(&name) && !name.contains(".php") && name != "@"
        }) && segments.next().is_none()
    }
}

/// Networks that organizations have profiles on.
const PROFILES: [Profile; 15] = [
    Profile { host: "bsky.app", before: &["profile"] },
    Profile { host: "crunchbase.com", before: &["organization"] },
    Profile { host: "facebook.com", before: &[] },
    Profile { host: "github.com", before: &[] },
    Profile { host: "instagram.com", before: &[] },
    Profile { host: "linkedin.com", before: &["company", "school", "showcase"] },
    Profile { host: "mastodon.social", before: &["@"] },
    Profile { host: "medium.com", before: &["@"] },
    Profile { host: "pinterest.com", before: &[] },
    Profile { host: "t.me", before: &[] },
    Profile { host: "threads.net", before: &["@"] },
    Profile { host: "tiktok.com", before: &["@"] },
    Profile { host: "x.com", before: &[] },
    Profile { host: "twitter.com", before: &[] },
    Profile { host: "youtube.com", before: &["@", "c", "channel", "user"] },
];

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
pub(crate) struct PageFacts {
    /// The main heading, else `og:title`, else the title, without the name of the site.
    pub(crate) name: Option<String>,
    /// The description of the head, else the first longer paragraph.
    pub(crate) description: Option<String>,
    /// `og:image`, else the first image of the main content that has a text; absolute.
    pub(crate) image: Option<String>,
    /// The canonical address, else the page's own.
    pub(crate) url: Option<String>,
    /// Name of the site, from `og:site_name` or an organization of the markup.
    pub(crate) site: Option<String>,
    /// Address of the home page.
    pub(crate) home: Option<String>,
    /// An icon of the site.
    pub(crate) logo: Option<String>,
    /// `lang` of the page.
    pub(crate) lang: Option<String>,
    /// The brand that the page names, else the site if the name of the thing has it.
    pub(crate) brand: Option<String>,
    /// The price beside the main heading, its currency if that is given.
    pub(crate) price: Option<Money>,
    /// Whether the page says beside the main heading that it can be had.
    pub(crate) availability: Option<Availability>,
    /// `sku`.
    pub(crate) sku: Option<String>,
    /// `gtin` with a right check digit.
    pub(crate) gtin: Option<String>,
    /// Attributes and their values.
    pub(crate) pairs: Vec<(String, String)>,
    /// Who wrote it.
    pub(crate) author: Option<String>,
    /// When it was published, as in the head.
    pub(crate) published: Option<String>,
    /// When it was changed, as in the head.
    pub(crate) modified: Option<String>,
    /// Addresses of profiles that the page links to.
    pub(crate) profiles: Vec<String>,
    /// The path to the page: names and absolute addresses.
    pub(crate) breadcrumbs: Vec<(String, String)>,
    /// Names and absolute addresses of what a collection lists.
    pub(crate) members: Vec<(String, String)>,
    /// What the page offers besides goods, if something shows it.
    pub(crate) offering: Option<Offering>,
    /// The day of the audit.
    pub(crate) today: NaiveDate,
}

impl PageFacts {
    /// What a page says of itself.
    pub(crate) fn from_page(page: &AuditedPage<'_>) -> Self {
        let facts = page.page();
        let resolve = resolver(page);
        let meta = |key| {
            clean(facts.metas(key).map(|meta| meta.content.as_str()).find(|v| !v.is_empty())?)
        };
        let url = facts
            .links("canonical")
            .find_map(|link| resolve(&link.href))
            .or_else(|| page.snapshot.location().cloned());
        let site = meta("og:site_name")
            .or_else(|| organization_name(page))
            .or_else(|| meta("application-name"));
        let name = name(facts, site.as_deref());
        let mut found = Self {
            description: description(page),
            image: image(page, &resolve),
            home: url.as_ref().and_then(|url| url.join("/").ok()).map(String::from),
            url: url.map(String::from),
            logo: logo(facts, &resolve),
            lang: facts
                .lang
                .as_ref()
                .filter(|_| facts.lang_is_valid())
                .map(|lang| lang.value.clone()),
            price: price(page),
            availability: availability(page),
            author: meta("author")
                .filter(|author| is_name(author))
                .or_else(|| byline(page).filter(|author| is_name(author))),
            published: date(page, "article:published_time", "publish"),
            modified: date(page, "article:modified_time", "modif"),
            profiles: profiles(facts, &resolve),
            breadcrumbs: breadcrumbs(page, &resolve),
            members: members(page, &resolve),
            offering: offering(page, site.as_deref()),
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

    fn read_pairs(&mut self, page: &AuditedPage<'_>) {
        for pair in &page.content.pairs {
            let (Some(key), Some(value)) = (clean(&pair.key), clean(&pair.value)) else { continue };
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
                _ if self.pairs.len() < MAX_PAIRS => self.pairs.push((key, value)),
                _ => {}
            }
        }
    }
}

/// Text that is safe in a value; `None` if nothing is left.
fn clean(text: &str) -> Option<String> {
    let printable = text.chars().map(|ch| if is_unprintable(ch) { ' ' } else { ch });
    let text: String = printable.take(MAX_CHARS * 4).collect();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = words.chars().take(MAX_CHARS).collect();
    (!cut.is_empty()).then_some(cut)
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

/// The heading that is not the name of the site, else a title without it.
fn name(page: &Page, site: Option<&str>) -> Option<String> {
    let heading = || page.h1s().take(5).map(|heading| heading.text.as_str());
    let of_heading = heading().find(|text| !is_site(text, site)).and_then(clean);
    of_heading
        .or_else(|| titles(page).find_map(|title| clean(without_site(title, site))))
        .or_else(|| heading().find_map(clean))
}

/// `og:title`, and the title.
fn titles(page: &Page) -> impl Iterator<Item = &str> {
    let metas = page.metas("og:title").take(1).map(|meta| meta.content.as_str());
    metas.chain(page.title.iter().map(|title| title.value.as_str()))
}

fn is_site(text: &str, site: Option<&str>) -> bool {
    site.is_some_and(|site| folded(text).trim() == folded(site).trim())
}

/// The first part of a title that is not the name of the site.
fn without_site<'t>(title: &'t str, site: Option<&str>) -> &'t str {
    let mut parts = vec![title];
    for mark in TITLE_MARKS {
        parts = parts.into_iter().flat_map(|part| part.split(mark)).take(20).collect();
    }
    let mut named = parts.into_iter().filter(|part| !part.trim().is_empty());
    named.find(|part| !is_site(part, site)).unwrap_or(title)
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
    meta.or_else(|| {
        let blocks = visible::own_blocks(page).iter();
        blocks.filter(|block| block.words() >= 8).find_map(|block| clean(&block.text))
    })
}

fn image(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Option<String> {
    let metas = page.page().metas("og:image").map(|meta| meta.content.as_str());
    // Counters and ornaments have no text.
    let has_text = |alt: Option<&str>| alt.is_some_and(|alt| !alt.is_empty());
    let images = page.content.images.iter().filter(|image| has_text(image.alt.as_deref()));
    let sources = metas.chain(images.map(|image| image.src.as_str()));
    sources.filter(|src| !src.is_empty()).take(20).find_map(resolve).map(String::from)
}

fn logo(page: &Page, resolve: &UrlResolver) -> Option<String> {
    let icons = page.links("apple-touch-icon").chain(page.links("icon"));
    icons
        .filter(|link| !link.href.is_empty())
        .find_map(|link| resolve(&link.href))
        .map(String::from)
}

/// The price that is asked, if it is in few words; a symbol of several currencies means the one that the head names.
fn price(page: &AuditedPage<'_>) -> Option<Money> {
    let own = visible::own_prices(page);
    let seen = visible::asking_price(&own).filter(|seen| seen.is_plain(page))?;
    let mut money = seen.money;
    let metas = ["product:price:currency", "og:price:currency"];
    let meta = metas.into_iter().flat_map(|key| page.page().metas(key)).next();
    let named = meta.map_or(Currency::UNKNOWN, |meta| Currency::from_text(&meta.content));
    if named.code().is_some() && money.currency.fits(named) {
        money.currency = named;
    }
    Some(money)
}

/// Whether it can be had, as said beside the main heading.
fn availability(page: &AuditedPage<'_>) -> Option<Availability> {
    let mut said = visible::own_availability(page);
    said.retain(|(_, block)| visible::is_beside_heading(page, block));
    visible::only_state(&said)
}

/// A date of the head, else that of a `time` element with this hint.
fn date(page: &AuditedPage<'_>, key: &str, hint: &str) -> Option<String> {
    let is_date = |text: &str| crate::audit::markup::iso_day(text).is_some();
    let meta = page.page().metas(key).map(|meta| meta.content.as_str()).find(|text| is_date(text));
    let hinted = page.content.times.iter().filter(|time| time.hints.contains(hint));
    let time = hinted.filter_map(|time| time.datetime.as_deref()).find(|text| is_date(text));
    clean(meta.or(time)?)
}

/// The name in a line such as `By Ada Lovelace` or `Yazar: Ada Lovelace`.
fn byline(page: &AuditedPage<'_>) -> Option<String> {
    byline_block(page).map(|(_, name)| name)
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

/// Profiles that the page links to, one for each network: the shape of the path is that of a profile, and
/// not of a button to share, of a post or of a file.
fn profiles(page: &Page, resolve: &UrlResolver) -> Vec<String> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for anchor in &page.anchors {
        if found.len() == MAX_PROFILES {
            break;
        }
        // Few anchors lead to such a host: the others are not parsed.
        if !PROFILES.iter().any(|profile| anchor.href.contains(profile.host)) {
            continue;
        }
        let Some(url) = resolve(&anchor.href) else { continue };
        let host = url.host_str().unwrap_or_default();
        let Some(profile) = PROFILES.iter().find(|known| {
            host.strip_suffix(known.host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }) else {
            continue;
        };
        let is_new = found.iter().all(|(host, _)| *host != profile.host);
        if is_new && url.query().is_none() && profile.has(url.path()) {
            found.push((profile.host, url.to_string()));
        }
    }
    found.into_iter().map(|(_, url)| url).collect()
}

/// The path to the page. A menu of other languages may follow the page itself.
fn breadcrumbs(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Vec<(String, String)> {
    let mut steps = links(&page.content.breadcrumbs, resolve);
    let is_own = |text: &str| {
        let step = Url::parse(text).ok();
        step.zip(page.snapshot.location()).is_some_and(|(step, own)| address::is_same(&step, own))
    };
    if let Some(own) = steps.iter().position(|(_, url)| is_own(url)) {
        steps.truncate(own + 1);
    }
    steps
}

fn links(
    links: &[crate::page::content::ContentLink],
    resolve: &UrlResolver,
) -> Vec<(String, String)> {
    let named =
        links.iter().filter_map(|link| Some((clean(&link.text)?, resolve(&link.href)?.into())));
    named.take(MAX_MEMBERS).collect()
}

/// What a collection lists: links of its headings and items to addresses of one form, each address once,
/// under its shortest name. Of several forms that with the most words in its names, as the names of
/// things are longer than those of categories; a menu of categories is not a list.
fn members(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Vec<(String, String)> {
    let own = page.snapshot.location();
    let mut found: BTreeMap<Url, (usize, String)> = BTreeMap::new();
    for (at, link) in page.content.links.iter().take(MAX_LINKS).enumerate() {
        let Some(name) = item_name(&link.text) else { continue };
        let Some(mut url) = resolve(&link.href) else { continue };
        url.set_fragment(None);
        if own.is_none_or(|own| own.host() == url.host() && own.path() != url.path()) {
            let (_, known) = found.entry(url).or_insert_with(|| (at, name.clone()));
            if name.len() < known.len() {
                *known = name;
            }
        }
    }
    let words = |name: &str| name.split(' ').count();
    let mut forms: BTreeMap<String, Vec<(usize, String, Url)>> = BTreeMap::new();
    for (url, (at, name)) in found {
        forms.entry(form(&url)).or_default().push((at, name, url));
    }
    let sum = |items: &[(usize, String, Url)]| items.iter().map(|(_, name, _)| words(name)).sum();
    let most = forms
        .values_mut()
        .filter(|items| {
            let is_item = |url: &Url| {
                let address = Address::new(Some(url));
                address.is_below(Topic::Product) || address.has_product_form()
            };
            let long = items.iter().filter(|(_, name, _)| words(name) >= MIN_ITEM_WORDS).count();
            long * 2 >= items.len() || items.iter().any(|(_, _, url)| is_item(url))
        })
        .max_by_key(|items| -> usize { sum(items) });
    let Some(items) = most else { return Vec::new() };
    items.sort_unstable_by_key(|(at, _, _)| *at);
    let items = items.drain(..).take(MAX_MEMBERS);
    items.map(|(_, name, url)| (name, url.into())).collect()
}

/// An address without its last segment: what the items of a list have in common.
fn form(url: &Url) -> String {
    let path = url.path().trim_end_matches('/');
    path.rsplit_once('/').map_or_else(String::new, |(parent, _)| parent.to_owned())
}

/// The name of an item in the text of its link: what comes before its price, said once; `None` for what
/// invites to do something.
fn item_name(text: &str) -> Option<String> {
    const LABELS: [&str; 7] =
        ["view details", "quick view", "quick shop", "add to ", "on sale", "sold out", "rating: "];
    const OPENERS: [&str; 7] = ["from", "ab", "à partir de", "desde", "sale price", "price", "now"];
    let end = prices(text).first().map_or(text.len(), |price| price.range.start);
    let lower = text.to_ascii_lowercase();
    let end =
        LABELS.iter().filter_map(|label| lower.find(label)).min().map_or(end, |at| at.min(end));
    let mut name = text.get(..end)?.trim();
    for opener in OPENERS {
        let at = name.len().saturating_sub(opener.len());
        let tail = name.split_at_checked(at).filter(|(_, tail)| tail.eq_ignore_ascii_case(opener));
        name = tail.map_or(name, |(name, _)| name.trim_end());
    }
    let words: Vec<&str> = name.split_whitespace().take(MAX_ITEM_WORDS).collect();
    let once = (1..=words.len() / 2).find(|size| {
        words.chunks(*size).all(|chunk| chunk == words.get(..*size).unwrap_or_default())
    });
    let name = words.get(..once.unwrap_or(words.len()))?.join(" ");
    let folded = folded(&name);
    let invites =
        INVITATIONS.iter().chain(&CALLS).any(|call| folded.trim_start().starts_with(call));
    (!invites && !sells(&name)).then(|| clean(&name)).flatten()
}

/// What software is called, folded.
const SOFTWARE: [&str; 10] = [
    "software",
    "app",
    "saas",
    "sdk",
    "plugin",
    "extension",
    "yazilim",
    "yazilimi",
    "uygulama",
    "uygulamasi",
];
/// What links that name no thing begin with, folded.
const CALLS: [&str; 12] = [
    "skip to",
    "read more",
    "learn more",
    "view all",
    "see all",
    "show more",
    "more info",
    "terms",
    "filter",
    "quick view",
    "devamini oku",
    "tumunu gor",
];
/// What links and buttons that invite to get it begin with, folded.
const INVITATIONS: [&str; 10] = [
    "download",
    "install",
    "sign up",
    "start free",
    "free trial",
    "try",
    "get started",
    "indir",
    "ucretsiz dene",
    "hemen basla",
];
/// What work for others is called, folded.
const SERVICES: [&str; 22] = [
    "service",
    "services",
    "consulting",
    "consultancy",
    "agency",
    "repair",
    "installation",
    "cleaning",
    "coaching",
    "training",
    "tutoring",
    "rental",
    "insurance",
    "hizmeti",
    "hizmetleri",
    "danismanlik",
    "danismanligi",
    "tamiri",
    "onarimi",
    "temizligi",
    "kiralama",
    "sigortasi",
];

/// What heading, title and address say that the page offers. Software is offered where the first of them
/// speak of it and something invites to get it; what the site is called says nothing of the page.
fn offering(page: &AuditedPage<'_>, site: Option<&str>) -> Option<Offering> {
    /// Services that are not offers, folded.
    const OTHER: [&str; 6] = [
        "customer service",
        "terms of service",
        "park service",
        "public service",
        "self service",
        "musteri hizmetleri",
    ];
    let facts = page.page();
    let title = titles(facts).map(|title| without_site(title, site));
    let texts: Vec<String> =
        facts.h1s().take(5).map(|heading| heading.text.as_str()).chain(title).map(folded).collect();
    let speaks = |words: &[&str]| {
        texts.iter().any(|text| words.iter().any(|word| contains_phrase(text, word)))
    };
    let buttons = page.content.buttons.iter().map(|button| button.text.as_str());
    let links = facts.anchors.iter().map(|anchor| anchor.text.as_str());
    let invites = || {
        let short = buttons.chain(links).filter(|text| text.len() <= MAX_INVITATION_BYTES);
        short
            .take(2_000)
            .map(folded)
            .any(|text| INVITATIONS.iter().any(|word| text.trim_start().starts_with(word)))
    };
    let address = Address::new(page.snapshot.location());
    let ends = [address.segments().first(), address.segments().last()];
    let names_service = |segment: &String| segment.rsplit('-').next().is_some_and(is_service);
    if speaks(&SOFTWARE) && invites() {
        Some(Offering::Software)
    } else if ends.into_iter().flatten().any(names_service) || speaks(&SERVICES) && !speaks(&OTHER)
    {
        Some(Offering::Service)
    } else {
        None
    }
}

/// Whether the segment of an address names work that is done for others.
fn is_service(segment: &str) -> bool {
    ["service", "consulting", "repair", "hizmet"].iter().any(|word| segment.contains(word))
}
