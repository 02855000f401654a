//! What was requested although the group for `*` disallows it.

use super::observed;
use crate::documents::robots::own_token;
use crate::fetch::{FetchError, Resource};
use crate::rubric::finding::Observation;
use crate::scan::snapshot::SiteSnapshot;

/// Requests of our own to paths that robots.txt disallows for everyone, and not for our token.
pub(super) fn disallowed(site: &SiteSnapshot) -> Option<Observation> {
    let rules = &site.robots().rules;
    let token = own_token(&site.exchange(&Resource::Home)?.probe.user_agent);
    let host = site.origin().host_str();
    let sent = site.exchanges().filter(|exchange| {
        let is_skipped = matches!(exchange.result, Err(FetchError::Skipped { .. }));
        !is_skipped && own_token(&exchange.probe.user_agent) == token
    });
    let urls = sent.map(|exchange| &exchange.probe.url).filter(|url| url.host_str() == host);
    let count = urls
        .filter(|url| !rules.decide(&[token], url.as_str()).allowed)
        .filter(|url| !rules.disallows_by_name(token, url.as_str()))
        .count();
    let seen = observed("wildcard-disallowed").with("count", &count).with("token", token);
    (count > 0).then(|| seen.on(site.robots_resource()))
}
