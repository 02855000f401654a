//! Profiles of networks that a page links to.

use super::UrlResolver;
use crate::page::Page;

/// Profiles that are named.
const MAX_PROFILES: usize = 8;

/// A network whose members have pages of their own.
struct Profile {
    host: &'static str,
    /// The text before the name of a member, if anything.
    before: &'static [&'static str],
}

impl Profile {
    /// Whether a path is that of a member: the name alone behind what comes before it.
    fn has(&self, path: &str) -> bool {
        /// Pages of the networks themselves.
        const OWN: [&str; 22] = [
            "about",
            "ads",
            "dialog",
            "explore",
            "features",
            "hashtag",
            "help",
            "home",
            "intent",
            "join",
            "legal",
            "login",
            "plugins",
            "policies",
            "privacy",
            "search",
            "settings",
            "share",
            "sharer",
            "sharer.php",
            "signup",
            "watch",
        ];
        let mut segments = path.trim_matches('/').split('/');
        let first = segments.next().unwrap_or_default();
        let name = match self.before {
            [] => Some(first),
            before if before.contains(&first) => segments.next(),
            before => before.contains(&"@").then_some(first).filter(|name| name.starts_with('@')),
        };
        name.is_some_and(|name| {
            !name.is_empty() && !OWN.contains(&name) && !name.contains(".php") && name != "@"
        }) && segments.next().is_none()
    }
}

/// Networks that organizations have profiles on.
const PROFILES: [Profile; 15] = [
    Profile { host: "bsky.app", before: &["profile"] },
    Profile { host: "crunchbase.com", before: &["organization"] },
    Profile { host: "facebook.com", before: &[] },
    Profile { host: "github.com", before: &[] },
    Profile { host: "instagram.com", before: &[] },
    Profile { host: "linkedin.com", before: &["company", "school", "showcase"] },
    Profile { host: "mastodon.social", before: &["@"] },
    Profile { host: "medium.com", before: &["@"] },
    Profile { host: "pinterest.com", before: &[] },
    Profile { host: "t.me", before: &[] },
    Profile { host: "threads.net", before: &["@"] },
    Profile { host: "tiktok.com", before: &["@"] },
    Profile { host: "x.com", before: &[] },
    Profile { host: "twitter.com", before: &[] },
    Profile { host: "youtube.com", before: &["@", "c", "channel", "user"] },
];

/// Profiles that the page links to, one for each network: the shape of the path is that of a profile, and
/// not of a button to share, of a post or of a file.
pub(super) fn profiles(page: &Page, resolve: &UrlResolver) -> Vec<String> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for anchor in &page.anchors {
        if found.len() == MAX_PROFILES {
            break;
        }
        // Few anchors lead to such a host: the others are not parsed.
        if !PROFILES.iter().any(|profile| anchor.href.contains(profile.host)) {
            continue;
        }
        let Some(url) = resolve(&anchor.href) else { continue };
        let host = url.host_str().unwrap_or_default();
        let Some(profile) = PROFILES.iter().find(|known| {
            host.strip_suffix(known.host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        }) else {
            continue;
        };
        // One network under two names.
        let network = if profile.host == "twitter.com" { "x.com" } else { profile.host };
        let is_new = found.iter().all(|(known, _)| *known != network);
        if is_new && url.query().is_none() && profile.has(url.path()) {
            found.push((network, url.to_string()));
        }
    }
    found.into_iter().map(|(_, url)| url).collect()
}
