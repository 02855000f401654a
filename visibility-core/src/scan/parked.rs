//! Domains without a site: parking pages, offers of sale, registrars' placeholders.
//!
//! A page is one if it comes from a company that parks domains, or if its name is what it offers. A broker of domains or a
//! shop names what it offers, too, and where it is: an address, a telephone number, opening hours, products.

use std::sync::LazyLock;

use url::Url;

use crate::fetch::domain::Domain;
use crate::page::json_ld::JsonLdBlock;
use crate::page::{Page, price};
use crate::scan::snapshot::SiteSnapshot;
use crate::text::fold::fold;
use crate::text::phrases::Phrases;
use crate::text::sentence::sentences;
use crate::text::words;

/// Words of the longest page that counts as parked.
const MAX_WORDS: usize = 150;
/// Words of a paragraph.
const MIN_WORDS_OF_PARAGRAPH: usize = 12;

/// Hosts that serve parking pages; a redirect, a script or a frame from them is a sign.
const PARKING_HOSTS: [&str; 12] = [
    "sedoparking.com",
    "sedo.com",
    "bodis.com",
    "parkingcrew.net",
    "afternic.com",
    "dan.com",
    "hugedomains.com",
    "above.com",
    "parklogic.com",
    "domainmarket.com",
    "undeveloped.com",
    "parking.natro.com",
];

/// Companies that sell domains; on a short page a link to one of them is the offer.
const MARKETS: [&str; 12] = [
    "afternic.com",
    "atom.com",
    "brandbucket.com",
    "dan.com",
    "domainmarket.com",
    "efty.com",
    "flippa.com",
    "hugedomains.com",
    "sav.com",
    "sedo.com",
    "squadhelp.com",
    "undeveloped.com",
];

/// What says that a domain is for sale, or parked.
static OFFERS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        &[
            "for sale",
            "may be for sale",
            "is parked",
            "parked free",
            "parked domain",
            "has been registered",
            "has been reserved",
            "is reserved",
            "is available for purchase",
            "available for purchase",
            "make an offer",
            "make offer",
            "get a price",
            "buy this",
            "buy now",
            "acquire this",
            "acquire",
            "purchase this",
            "own this",
            "asking price",
            "zu verkaufen",
            "zum verkauf",
            "zum kauf",
            "kaufen",
            "verkauft",
            "geparkt",
            "reserviert",
            "registriert",
            "à vendre",
            "en vente",
            "acheter",
            "est réservé",
            "est parqué",
            "est enregistré",
            "faire une offre",
            "en venta",
            "se vende",
            "a la venta",
            "comprar",
            "está aparcado",
            "está registrado",
            "ha sido registrado",
            "hacer una oferta",
            "à venda",
            "está à venda",
            "estacionado",
            "in vendita",
            "acquistare",
            "è parcheggiato",
            "è stato registrato",
            "te koop",
            "kopen",
            "geregistreerd",
            "gereserveerd",
            "geparkeerd",
            "na sprzedaż",
            "kup tę",
            "zaparkowana",
            "til salg",
            "till salu",
            "myytävänä",
            "продается",
            "продаётся",
            "купить",
            "припаркован",
            "販売中",
            "出售",
            "판매",
        ],
        &["satilik", "satin al", "park edil", "tescil edil", "teklif ver"],
    )
});

/// A domain, in the languages of [`OFFERS`].
static DOMAIN: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        &[
            "domain",
            "domains",
            "domain name",
            "domainname",
            "web address",
            "webadresse",
            "nom de domaine",
            "domaine",
            "dominio",
            "domínio",
            "domein",
            "domeinnaam",
            "domena",
            "domeny",
            "domæne",
            "domän",
            "verkkotunnus",
            "домен",
            "ドメイン",
            "域名",
            "도메인",
        ],
        &["alan ad", "alan adi"],
    )
});

/// What comes before the name of a place where something is sold, and not before a name that is sold.
const PLACES: [&str; 16] = [
    "at", "on", "from", "by", "bei", "auf", "von", "chez", "sur", "en", "de", "su", "da", "bij",
    "op", "na",
];

/// The sign by which the home page is a parking page, in its own words; `None` for a site.
pub(crate) fn sign(site: &SiteSnapshot) -> Option<String> {
    sign_on(site.page()?, &site.home()?.url, site.domain())
}

/// The sign by which the page at this address is a parking page, while `domain` is scanned.
pub(crate) fn sign_on(page: &Page, address: &Url, domain: &Domain) -> Option<String> {
    let lines: Vec<&str> = short_text(page)?;
    if let Some(host) = parking_host(address, page) {
        return (domain.registrable() != host).then(|| host.to_owned());
    }
    let name = fold(address.host_str().unwrap_or_default());
    let name = name.strip_prefix("www.").unwrap_or(&name);
    let title = page.title.iter().map(|title| title.value.as_str());
    let headings = page.headings.iter().take(1).map(|heading| heading.text.as_str());
    let headlines: Vec<&str> = title.chain(headings).collect();
    let texts = headlines.iter().chain(&lines).flat_map(|text| sentences(text));
    let texts: Vec<&str> = texts.collect();
    let of_name = texts.iter().find(|sentence| offers_name(sentence, name));
    let offer = of_name.or_else(|| texts.iter().find(|sentence| offers_domain(sentence)))?;
    // A page about domains has paragraphs. One that names itself is offered, whatever it says.
    let paragraphs = lines.iter().filter(|line| words::count(line) >= MIN_WORDS_OF_PARAGRAPH);
    let is_prose = paragraphs.count() >= 2;
    let is_headed_by_name = headlines.iter().any(|headline| is_name(headline, name));
    let is_offered = of_name.is_some() || is_headed_by_name || !is_prose || has_market_link(page);
    (is_offered && !names_business(page)).then(|| (*offer).to_owned())
}

/// The own lines of a page, if they are few.
fn short_text(page: &Page) -> Option<Vec<&str>> {
    let mut count = 0;
    let mut lines = Vec::new();
    for line in page.own_lines() {
        count += line.words;
        if count >= MAX_WORDS {
            return None;
        }
        lines.push(line.text);
    }
    Some(lines)
}

/// The company that parks domains from which the home page comes, if it does.
fn parking_host(address: &Url, page: &Page) -> Option<&'static str> {
    let final_host = address.host_str().unwrap_or_default();
    let scripts = page.scripts.iter().filter_map(|script| script.src.as_deref());
    let embedded = scripts.chain(page.frames.iter().map(String::as_str));
    let mut hosts =
        embedded.filter_map(host_of).chain([final_host]).collect::<Vec<_>>().into_iter();
    hosts.find_map(|host| PARKING_HOSTS.into_iter().find(|parking| is_of(host, parking)))
}

fn has_market_link(page: &Page) -> bool {
    let hosts = page.anchors.iter().filter_map(|anchor| host_of(&anchor.href));
    hosts.into_iter().any(|host| MARKETS.iter().any(|market| is_of(host, market)))
}

fn is_of(host: &str, company: &str) -> bool {
    host.strip_suffix(company).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The host of an absolute or protocol-relative reference.
fn host_of(src: &str) -> Option<&str> {
    let (_, after) = src.split_once("//")?;
    after.split(['/', '?', '#', ':']).next()
}

fn is_name(text: &str, name: &str) -> bool {
    let text = fold(text.trim());
    text.strip_prefix("www.").unwrap_or(&text) == name
}

/// Whether a sentence offers the name of the site: the name and an offer are beside each other.
fn offers_name(sentence: &str, name: &str) -> bool {
    let folded = fold(sentence);
    let Some(at) = folded.find(name) else { return false };
    let before = folded.get(..at).unwrap_or_default().trim_end();
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_place = PLACES.contains(&last);
    !is_place && OFFERS.are_in(&folded) && (DOMAIN.are_in(&folded) || is_beside(&folded, at, name))
}

/// Words between a name and the offer of it: "x.com is for sale", "buy x.com now".
const MAX_WORDS_BETWEEN: usize = 2;

fn is_beside(folded: &str, at: usize, name: &str) -> bool {
    let end = at + name.len();
    OFFERS.find(folded).any(|offer| {
        let between = if offer.start >= end {
            folded.get(end..offer.start)
        } else {
            folded.get(offer.end..at)
        };
        between.is_some_and(|text| words::count(text) <= MAX_WORDS_BETWEEN)
    })
}

/// Whether a sentence offers a domain.
fn offers_domain(sentence: &str) -> bool {
    let folded = fold(sentence);
    DOMAIN.are_in(&folded) && (OFFERS.are_in(&folded) || price::is_in(sentence))
}

/// Whether a page says where a business is, when it is open, or what it sells: no parked domain does.
pub(crate) fn names_business(page: &Page) -> bool {
    let has_products = page.prices.len() > 1;
    let is_telephone = |href: &str| href.trim_start().to_ascii_lowercase().starts_with("tel:");
    has_products
        || page.anchors.iter().any(|anchor| is_telephone(&anchor.href))
        || page.microdata_types.iter().any(|kind| is_business_type(&kind.value))
        || page.json_ld.iter().any(is_about_business)
        || page.own_lines().any(|line| has_telephone(line.text) || has_hours(line.text))
}

fn is_business_type(text: &str) -> bool {
    ["Product", "PostalAddress", "LocalBusiness", "address", "openingHours", "telephone"]
        .iter()
        .any(|kind| text.contains(kind))
}

fn is_about_business(block: &JsonLdBlock) -> bool {
    let nodes = block.nodes.iter().flatten();
    nodes.into_iter().any(|node| {
        let keys = node.object.keys().map(String::as_str);
        node.types.iter().map(String::as_str).chain(keys).any(is_business_type)
    })
}

/// Fewest digits of a telephone number that is written with spaces.
const MIN_DIGITS: usize = 7;
const MAX_DIGITS: usize = 15;

/// Whether a text has a telephone number: seven digits and more, in groups.
fn has_telephone(text: &str) -> bool {
    let is_part =
        |ch: char| ch.is_ascii_digit() || matches!(ch, ' ' | '-' | '.' | '/' | '(' | ')' | '+');
    text.split(|ch| !is_part(ch)).any(|run| {
        let run = run.trim();
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        let groups = run.split(|ch: char| !ch.is_ascii_digit()).filter(|group| !group.is_empty());
        let starts = run.starts_with(['0', '+', '(']);
        (MIN_DIGITS..=MAX_DIGITS).contains(&digits) && (starts || groups.count() >= 3)
    })
}

/// Whether a text has opening hours: two times of the day with a dash or a word between them.
fn has_hours(text: &str) -> bool {
    let is_time = |word: &str| {
        let word = word.trim_matches(|ch: char| !ch.is_ascii_digit());
        let mut parts = word.split([':', '.']);
        let hour = parts.next().and_then(|hour| hour.parse::<u8>().ok());
        let minute = parts.next().filter(|minute| minute.len() == 2);
        hour.is_some_and(|hour| hour <= 24)
            && minute.is_some_and(|at| at.parse::<u8>().is_ok_and(|at| at < 60))
    };
    let parts = text.split([' ', '-', '–', '—', '\u{a0}']);
    parts.filter(|word| is_time(word)).count() >= 2
}
