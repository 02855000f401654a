//! The third wave: probes that the answers so far ask for.

use url::Url;

use crate::fetch::{Probe, Resource};
use crate::scan::plan::ScanRequest;
use crate::scan::snapshot::SiteSnapshot;

/// What is still worth asking, most telling first; the caller cuts the list to its budget.
pub(super) fn probes(request: &ScanRequest, site: &SiteSnapshot) -> Vec<Probe> {
    other_host(request, site).into_iter().collect()
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
