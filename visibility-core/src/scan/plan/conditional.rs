//! The third wave: probes that the answers so far ask for.

use url::Url;

use crate::fetch::{Probe, Resource};
use crate::scan::plan::ScanRequest;
use crate::scan::snapshot::SiteSnapshot;

/// What is still worth asking, most telling first; the caller cuts the list to its budget.
pub(super) fn probes(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    other_host(request, site).into_iter().chain(license(request, site)).collect()
}

/// `www.` of an apex, and the apex of `www.`: do both lead to one host?
fn other_host(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let domain = site.domain();
    let registrable = domain.registrable();
    let other = match domain.as_str().strip_prefix("www.") {
        Some(apex) if apex == registrable => apex.to_owned(),
        None if domain.as_str() == registrable => format!("www.{registrable}"),
        _ => return None,
    };
    let url = Url::parse(&format!("https://{other}/")).ok()?;
    Some(request.probe(Resource::OtherHost, url).stopping())
}

/// The RSL license that robots.txt, a `Link` header or a `<link>` names.
fn license(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    const MEDIA_TYPE: &str = "application/rsl+xml";
    let home = site.home()?;
    let robots = site.robots().rules.licenses.iter().map(|record| record.value.as_str());
    let header = site.home_links().iter().filter(|link| {
        link.media_type.as_deref() == Some(MEDIA_TYPE) && link.rels.iter().any(|r| r == "license")
    });
    let element = site.page().into_iter().flat_map(|page| page.links("license"));
    let element = element.filter(|link| link.media_type.as_deref() == Some(MEDIA_TYPE));
    let mut named = robots
        .chain(header.map(|link| link.target.as_str()))
        .chain(element.map(|link| link.href.as_str()));
    let url = home.url.join(named.next()?.trim()).ok()?;
    let usable = matches!(url.scheme(), "http" | "https");
    usable.then(|| request.probe(Resource::License, url))
}
