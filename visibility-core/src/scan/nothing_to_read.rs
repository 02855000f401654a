//! Finds out why a home page has nothing to read: no words of its own, a notice instead of a site, a wall
//! in front of it, or something that is no text.
//!
//! What can be read decides. The phrases of `notices` only say what kind of notice a page is: it is one when hardly a word is
//! left beside the notice, when every address returns the same small page, or when the whole page is one that a known
//! product makes. An article about such notices has paragraphs of its own, and in those a phrase says nothing.

mod notices;
mod own_text;
mod product_pages;

use crate::fetch::{Resource, Response};
use crate::page::Page;
use crate::scan::nothing_to_read::notices::{Notice, Strength};
use crate::scan::nothing_to_read::own_text::OwnText;
use crate::scan::snapshot::SiteSnapshot;
use crate::scan::{home, parked};

/// Words beside a notice below which there is nothing but the notice.
const MAX_WORDS_BESIDE: usize = 14;
/// The same, under a title or a heading that is the notice.
const MAX_WORDS_UNDER_NOTICE: usize = 29;
/// Words of a page that says nothing: a name, or "Loading", perhaps beside a frame or a picture.
const MAX_WORDS_OF_SHELL: usize = 4;
/// Words of a page of its own that may be all there is, when every path returns it.
const MAX_WORDS_EVERYWHERE: usize = 29;
/// Words of the longest page that every path returns and that begins with a notice.
const MAX_NOTICE_WORDS_EVERYWHERE: usize = 150;
/// Words of a page of a host, known by what it speaks about.
const MAX_WORDS_OF_HOST: usize = 250;
/// Terms of hosts on such a page, each counted once.
const MIN_HOST_TERMS: usize = 4;
/// Words of the longest page that can be a notice.
const MAX_WORDS_OF_NOTICES: usize = 400;
/// Words of a page from which on it has enough to say, whatever notice is on it.
const MANY_WORDS: usize = 150;
/// Words of a paragraph.
const MIN_WORDS_OF_PARAGRAPH: usize = 30;
/// Characters of a paragraph whose words are long, and how many words that are at least.
const MIN_CHARS_OF_PARAGRAPH: usize = 200;
const MIN_LONG_WORDS_OF_PARAGRAPH: usize = 10;
/// Links into the site of a page that every path returns, up to which it is the only one.
const MAX_LINKS_OF_ONLY_PAGE: usize = 1;

/// Why a home page has nothing to read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum NothingToRead {
    /// The domain is parked; the sign of it.
    Parked(String),
    /// Next to no words besides navigation.
    NoWords,
    /// The default page of a server, an error or maintenance, in its own words.
    Placeholder(String),
    /// A wall that asks for something first, in its own words.
    Gate(String),
    /// Frames, whose content is other pages.
    Frames,
    /// Pictures.
    Images,
}

/// Why the home page has nothing to read, `page` being its facts; `None` if there is something, or if it is
/// for programs.
pub(super) fn find(site: &SiteSnapshot, page: &Page) -> Option<NothingToRead> {
    if home::is_described_api(site) {
        return None;
    }
    if let Some(sign) = parked::sign(site) {
        return Some(NothingToRead::Parked(sign));
    }
    if let Some(headline) = product_pages::find(page) {
        return Some(NothingToRead::Placeholder(headline.to_owned()));
    }
    let own = OwnText::of(page, MAX_WORDS_OF_NOTICES)?;
    let facts = Facts { site, page, is_everywhere: false };
    let facts = Facts { is_everywhere: own.size.words > 0 && is_everywhere(site, page), ..facts };
    if let Some(found) = placeholder(&own, &facts) {
        return Some(NothingToRead::Placeholder(found));
    }
    if let Some(found) = gate(&own, &facts) {
        return Some(NothingToRead::Gate(found));
    }
    if is_left_to_scripts(page) || own.size.words > MAX_WORDS_OF_SHELL || !page.forms.is_empty() {
        return None;
    }
    if !page.frames.is_empty() {
        Some(NothingToRead::Frames)
    } else if page.images > 0 {
        Some(NothingToRead::Images)
    } else {
        (!has_rendering_script(page)).then_some(NothingToRead::NoWords)
    }
}

/// How much a page says.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum OwnWords {
    /// Not a word of its own.
    None,
    /// Less than a paragraph.
    Few,
    /// A paragraph or more.
    Enough,
}

impl OwnWords {
    /// Whether a page has a word of its own, notices counted in.
    pub(super) fn are_in(page: &Page) -> bool {
        OwnText::of(page, 1).is_none()
    }

    /// Whether a page has so many words of its own, navigation and notices apart.
    pub(super) fn are_at_least(page: &Page, words: usize) -> bool {
        OwnText::of(page, words).is_none()
    }

    /// Counts the words of a page, navigation and notices apart.
    pub(super) fn of(page: &Page) -> Self {
        let Some(own) = OwnText::of(page, MANY_WORDS) else { return Self::Enough };
        let judged = Notice::ON_PAGES.into_iter().map(|notice| own.judge(notice));
        let beside = judged.filter(|found| found.strong.is_some()).map(|found| found.beside).min();
        let size = beside.unwrap_or(own.size);
        let has_long_words =
            size.chars >= MIN_CHARS_OF_PARAGRAPH && size.words >= MIN_LONG_WORDS_OF_PARAGRAPH;
        if size.words >= MIN_WORDS_OF_PARAGRAPH || has_long_words {
            Self::Enough
        } else if size.words > 0 {
            Self::Few
        } else {
            Self::None
        }
    }
}

/// Whether a page has a paragraph of its own that no server or host makes.
pub(super) fn is_written(page: &Page) -> bool {
    OwnWords::of(page) == OwnWords::Enough && product_pages::find(page).is_none()
}

/// Whether a page has no words of its own but that it is on its way: navigation and footers say nothing.
pub(super) fn is_waiting(page: &Page) -> bool {
    OwnText::of(page, MAX_WORDS_BESIDE).is_some_and(|own| own.is_waiting())
}

/// The home page as text, where it is text and no HTML; `None` if it is no text.
pub(super) fn plain_text(home: &Response) -> Option<Page> {
    let media_type = home.media_type();
    let is_named_text = media_type.is_empty()
        || media_type.starts_with("text/")
        || ["json", "xml", "yaml"].iter().any(|kind| media_type.ends_with(kind));
    if !is_named_text || is_binary(&home.body) {
        return None;
    }
    if home.starts_with_tag() {
        return Some(Page::parse(&home.body, home.headers.first("content-type")));
    }
    Some(Page { visible_text: home.text().into_owned(), ..Page::default() })
}

/// Whether bytes are no text in any charset of the web: text has no zero bytes but in UTF-16, which a
/// byte-order mark announces.
pub(super) fn is_binary(body: &[u8]) -> bool {
    const LOOKED_AT: usize = 4_096;
    let start = body.get(..body.len().min(LOOKED_AT)).unwrap_or_default();
    let is_utf16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    start.starts_with(b"%PDF-") || (!is_utf16 && start.contains(&0))
}

/// What is known of a page besides its words.
struct Facts<'p> {
    site: &'p SiteSnapshot,
    page: &'p Page,
    /// Whether a path that does not exist returns the page, too.
    is_everywhere: bool,
}

impl Facts<'_> {
    /// The title, or the first heading, if it has such a phrase.
    fn headline(&self, notice: Notice) -> Option<&str> {
        let title = self.page.title.iter().map(|title| title.value.as_str());
        let headings = self.page.headings.iter().take(1).map(|heading| heading.text.as_str());
        title.chain(headings).find(|text| notice.strength(text) == Some(Strength::Strong))
    }

    fn has_login(&self) -> bool {
        let mut fields = self.page.forms.iter().flat_map(|form| &form.fields);
        fields.any(|field| field.kind == "password")
    }
}

/// The words of a page that is there because the site is not.
fn placeholder(own: &OwnText<'_>, facts: &Facts<'_>) -> Option<String> {
    if own.size.words == 0 {
        return None;
    }
    for notice in [Notice::DefaultPage, Notice::Outage] {
        let found = own.judge(notice);
        let headline = facts.headline(notice);
        let is_all = found.beside.words <= MAX_WORDS_BESIDE;
        let heads_it = headline.is_some() && found.beside.words <= MAX_WORDS_UNDER_NOTICE;
        let is_same = facts.is_everywhere
            && (headline.is_some() || own.begins_with(notice))
            && own.size.words <= MAX_NOTICE_WORDS_EVERYWHERE;
        let strong = found.strong.or(headline);
        if let Some(strong) = strong.filter(|_| is_all || heads_it || is_same) {
            return Some(strong.to_owned());
        }
    }
    let is_of_host = own.size.words <= MAX_WORDS_OF_HOST
        && (facts.is_everywhere || !own.is_prose())
        && own.distinct_phrases(Notice::Host) >= MIN_HOST_TERMS
        && !parked::names_business(facts.page);
    let is_small = own.size.words <= MAX_WORDS_EVERYWHERE;
    let is_only_page = || {
        facts.is_everywhere
            && is_small
            && !facts.has_login()
            && !is_left_to_scripts(facts.page)
            && links_into_site(facts.site, facts.page) <= MAX_LINKS_OF_ONLY_PAGE
    };
    (is_of_host || is_only_page()).then(|| own.first_sentence()).flatten()
}

/// Whether a script fills the page: another verdict, with another remedy.
fn is_left_to_scripts(page: &Page) -> bool {
    page.empty_mount.is_some() || page.requires_js_notice().is_some()
}

/// The words of a wall that asks for something, and has nothing behind it.
fn gate(own: &OwnText<'_>, facts: &Facts<'_>) -> Option<String> {
    for notice in Notice::GATES {
        let found = own.judge(notice);
        let headline = facts.headline(notice);
        let Some(strong) = found.strong.or(headline) else { continue };
        let is_all = found.beside.words <= MAX_WORDS_BESIDE;
        let heads_it = headline.is_some() && found.beside.words <= MAX_WORDS_UNDER_NOTICE;
        let is_question = own.size.words <= MAX_WORDS_BESIDE || own.asks(notice);
        if (is_all || heads_it) && is_question {
            return Some(strong.to_owned());
        }
    }
    if own.size.words > MAX_WORDS_BESIDE || is_left_to_scripts(facts.page) {
        return None;
    }
    let dialogs = OwnText::of_dialogs(facts.page)?;
    Notice::GATES.into_iter().find_map(|notice| dialogs.judge(notice).strong).map(str::to_owned)
}

/// What a page with something to read asks its visitors in a dialog before it, in its own words.
pub(super) fn asks_first(site: &SiteSnapshot, page: &Page) -> Option<String> {
    let dialogs = OwnText::of_dialogs(page)?;
    let mut asked = Notice::GATES.into_iter().filter_map(|notice| dialogs.judge(notice).strong);
    let asked = asked.next()?.to_owned();
    find(site, page).is_none().then_some(asked)
}

/// Whether a script of the page may write its text: one that only counts visitors does not.
pub(super) fn has_rendering_script(page: &Page) -> bool {
    const COUNTERS: [&str; 16] = [
        "googletagmanager.com",
        "google-analytics.com",
        "gtag(",
        "gtm.start",
        "plausible.io",
        "matomo",
        "piwik",
        "hotjar",
        "clarity.ms",
        "connect.facebook.net",
        "fbq(",
        "static.cloudflareinsights.com",
        "mc.yandex.ru",
        "hm.baidu.com",
        "umami",
        "cdn.usefathom.com",
    ];
    page.scripts.iter().any(|script| {
        let source = script.src.as_deref().unwrap_or(&script.code);
        !COUNTERS.iter().any(|counter| source.contains(counter))
    })
}

/// Links of a page to others of its site, those to terms and policies left out; counted until it is not the only page.
fn links_into_site(site: &SiteSnapshot, page: &Page) -> usize {
    let mut hrefs: Vec<&str> = Vec::new();
    for anchor in &page.anchors {
        let href = anchor.href.split('#').next().unwrap_or_default();
        let is_new = !matches!(href, "" | "/") && !hrefs.contains(&href);
        if is_new && leads_into(site, href) && Notice::Legal.strength(&anchor.text).is_none() {
            hrefs.push(href);
            if hrefs.len() > MAX_LINKS_OF_ONLY_PAGE {
                break;
            }
        }
    }
    hrefs.len()
}

/// Whether a reference is one to another page of the site.
fn leads_into(site: &SiteSnapshot, href: &str) -> bool {
    let is_path = href.starts_with('/') && !href.starts_with("//");
    is_path
        || site.origin().join(href).is_ok_and(|url| {
            url.scheme().starts_with("http") && url.path() != "/" && site.owns(&url)
        })
}

/// Whether a path that does not exist returns this page.
fn is_everywhere(site: &SiteSnapshot, page: &Page) -> bool {
    let missing = site.response(&Resource::MissingPath);
    missing.zip(site.home()).is_some_and(|(missing, home)| {
        missing.body == home.body || {
            let content_type = missing.headers.first("content-type");
            let is_alike = missing.body.len() <= 2 * home.body.len() + 1_024;
            is_alike && {
                let other = Page::parse(&missing.body, content_type);
                other.visible_text == page.visible_text
            }
        }
    })
}
