//! The pages that llms.txt leads to.

use url::Url;

use crate::documents::llms_txt::LlmsTxt;
use crate::fetch::Resource;
use crate::scan::facts::draft::is_personal;
use crate::scan::facts::published;
use crate::scan::snapshot::{DocumentState, SiteSnapshot};

/// Links of llms.txt that are requested.
pub(crate) const LLMS_TXT_LINKS: [Resource; 3] =
    [Resource::LlmsTxtLink(1), Resource::LlmsTxtLink(2), Resource::LlmsTxtLink(3)];

/// The own pages and files that the file of the site links to; none if there is no such file.
pub(crate) fn targets(site: &SiteSnapshot) -> Vec<Url> {
    match site.document(&Resource::LlmsTxt) {
        DocumentState::Present(response) => own_targets(site, &LlmsTxt::parse(&response.body)),
        _ => Vec::new(),
    }
}

/// The own pages and files that an llms.txt links to, each once.
pub(crate) fn own_targets(site: &SiteSnapshot, file: &LlmsTxt) -> Vec<Url> {
    let Some(response) = site.response(&Resource::LlmsTxt) else { return Vec::new() };
    let mut targets: Vec<Url> = Vec::new();
    for link in &file.links {
        let Some(mut url) = published::web_url(&response.url, link) else { continue };
        url.set_fragment(None);
        if url.origin() == site.origin().origin() && !is_personal(&url) && !targets.contains(&url) {
            targets.push(url);
        }
    }
    targets
}

/// Up to three of these targets, from the beginning, the middle and the end of the file.
pub(crate) fn sample(mut targets: Vec<Url>) -> Vec<Url> {
    let count = targets.len();
    if count > LLMS_TXT_LINKS.len() {
        let chosen = [0, count / 2, count - 1];
        let mut place = 0;
        targets.retain(|_| {
            place += 1;
            chosen.contains(&(place - 1))
        });
    }
    targets
}
