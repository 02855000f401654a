//! What a page offers besides goods.

use super::{Offering, title_parts};
use crate::audit::availability::{contains_phrase, folded};
use crate::audit::facts::subject;
use crate::audit::page::AuditedPage;

/// Bytes of a link or button that invites.
const MAX_INVITATION_BYTES: usize = 40;

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
/// What links and buttons that invite to get it begin with, folded.
pub(super) const INVITATIONS: [&str; 10] = [
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
/// What names of work for others end with, folded. Other such words name courses, products and wards too.
const SERVICES: [&str; 9] = [
    "service",
    "services",
    "consulting",
    "consultancy",
    "hizmeti",
    "hizmetleri",
    "danismanligi",
    "dienstleistungen",
    "beratung",
];

/// What heading and title say that the page offers. Software is offered where they speak of it and something
/// invites to get it, a service where its name ends with that word; what the site is called says nothing of
/// the page.
pub(super) fn find(
    page: &AuditedPage<'_>,
    headline: Option<&str>,
    site: Option<&str>,
) -> Option<Offering> {
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
    let headline = headline?;
    let title = facts.title.iter().flat_map(|title| title_parts(&title.value, site));
    let texts: Vec<String> = title.take(1).chain([headline]).map(folded).collect();
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
    if speaks(&SOFTWARE) && invites() {
        return Some(Offering::Software);
    }
    let name = folded(headline);
    let is_service = name.split(' ').next_back().is_some_and(|last| SERVICES.contains(&last));
    (is_service && subject::is_name(headline) && !speaks(&OTHER)).then_some(Offering::Service)
}
