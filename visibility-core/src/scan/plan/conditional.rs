//! The third wave: probes that the answers so far ask for.

use url::Url;

use crate::fetch::{Probe, Resource};
use crate::scan::alternate;
use crate::scan::plan::ScanRequest;
use crate::scan::snapshot::SiteSnapshot;

/// What is still worth asking, most telling first; the caller cuts the list to its budget.
pub(super) fn probes(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    [other_host(request, site), license(request, site), markdown_alternate(request, site)]
        .into_iter()
        .flatten()
        .collect()
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

/// The Markdown version that the page names; a linked `.md` file only if none was negotiated.
fn markdown_alternate(request: &ScanRequest, site: &SiteSnapshot) -> Option<Probe> {
    let is_negotiated =
        site.response(&Resource::HomeMarkdown).is_some_and(alternate::is_typed_markdown);
    let linked = if is_negotiated { Vec::new() } else { alternate::linked(site) };
    let is_home = |url: &Url| site.home().is_some_and(|home| home.url == *url);
    let mut urls = alternate::advertised(site).into_iter().chain(linked);
    let url = urls.find(|url| !is_home(url))?;
    Some(request.probe(Resource::MarkdownAlternate, url))
}
