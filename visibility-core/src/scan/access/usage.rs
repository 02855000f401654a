//! Usage preferences that concern an agent.

use crate::agents::Agent;
use crate::robots::usage::{ContentSignal, ContentUsage};
use crate::scan::snapshot::SiteSnapshot;

/// Preferences of the agent's groups in robots.txt, then those of the home page's header, each with
/// its source: `ai-train=no (Content-Signal, line 4)`.
pub(super) fn preferences(site: &SiteSnapshot, agent: &Agent) -> Vec<String> {
    let mut shown = Vec::new();
    for group in site.robots().rules.groups_for(&agent.robots_tokens()) {
        for record in &group.content_signals {
            let signal = ContentSignal::from_record(record);
            let source = format!("(Content-Signal, line {})", record.line);
            shown.extend(signal.preferences().iter().map(|said| format!("{said} {source}")));
        }
        for record in &group.content_usages {
            let usage = ContentUsage::from_record(record);
            let source = format!("(Content-Usage, line {})", record.line);
            let path = usage.path.as_ref().map(|path| format!("{path} ")).unwrap_or_default();
            shown.extend(usage.preferences().iter().map(|said| format!("{path}{said} {source}")));
        }
    }
    let Some(home) = site.home().filter(|home| home.is_success()) else { return shown };
    let signals = home.headers.all("content-signal").iter();
    let signals = signals.flat_map(|value| ContentSignal::from_header(value).preferences());
    shown.extend(signals.map(|said| format!("{said} (Content-Signal header)")));
    let usages = home.headers.all("content-usage").iter();
    let usages = usages.flat_map(|value| ContentUsage::from_header(value).preferences());
    shown.extend(usages.map(|said| format!("{said} (Content-Usage header)")));
    shown
}
