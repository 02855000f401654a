//! Domains without a site: parking pages, offers of sale, registrars' placeholders.

use crate::scan::snapshot::SiteSnapshot;

/// Longest visible text of a page that counts as parked, in characters.
const MAX_CHARS: usize = 1_500;

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

/// Phrases of parking pages, in lower case.
const PHRASES: [&str; 14] = [
    "this domain is for sale",
    "this domain may be for sale",
    "domain is for sale",
    "buy this domain",
    "domain name is for sale",
    "this domain is parked",
    "domain has been registered",
    "is parked free",
    "parked domain",
    "bu alan adı satılıktır",
    "bu domain satılıktır",
    "alan adı park edilmiştir",
    "alan adı tescil edilmiştir",
    "satılık domain",
];

/// The sign by which the home page is a parking page; `None` for a site.
///
/// A phrase counts only on a short page, so that an article about parking is a site.
pub(crate) fn sign(site: &SiteSnapshot) -> Option<&'static str> {
    let home = site.home()?;
    let page = site.page()?;
    if page.visible_chars() > MAX_CHARS {
        return None;
    }
    let final_host = home.url.host_str().unwrap_or_default();
    let scripts = page.scripts.iter().filter_map(|script| script.src.as_deref());
    let embedded = scripts.chain(page.frames.iter().map(String::as_str));
    let served_from = |host: &str| {
        final_host == host
            || final_host.ends_with(&format!(".{host}"))
            || embedded.clone().any(|src| {
                host_of(src).is_some_and(|h| h == host || h.ends_with(&format!(".{host}")))
            })
    };
    if let Some(host) = PARKING_HOSTS.into_iter().find(|host| served_from(host)) {
        return (site.domain().registrable() != host).then_some(host);
    }
    let title = page.title.as_ref().map(|title| title.value.as_str()).unwrap_or_default();
    let text = format!("{title}\n{}", page.visible_text).to_lowercase();
    PHRASES.into_iter().find(|phrase| text.contains(phrase))
}

/// The host of an absolute or protocol-relative reference.
fn host_of(src: &str) -> Option<&str> {
    let (_, after) = src.split_once("//")?;
    after.split(['/', '?', '#', ':']).next()
}
