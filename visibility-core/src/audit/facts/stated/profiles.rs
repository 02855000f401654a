//! Profiles of networks that a page links to.

use super::UrlResolver;
use super::site::{compact, domain_name};
use crate::audit::page::AuditedPage;
use crate::page::NodeId;

/// Profiles that are named, and links to profiles that are looked at.
const MAX_PROFILES: usize = 8;
const MAX_LINKED: usize = 200;
/// Bytes of a name that two texts share by no chance.
const MIN_NAME_BYTES: usize = 4;
/// Profiles of different networks beside each other that are those of the site, and links between the first and
/// the last of them.
const MIN_IN_ROW: usize = 3;
const ROW_LINKS: usize = 4;

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

/// Profiles of who speaks on the page, one for each network: links in its header or footer, or marked as its own
/// with `rel=me`, that have a name of the site or are one of three or more beside each other. Others are those of
/// writers, members, partners and makers of the site.
///
/// The shape of the path is that of a profile, and not of a button to share, of a post or of a file.
pub(super) fn profiles(
    page: &AuditedPage<'_>,
    resolve: &UrlResolver,
    site: Option<&str>,
) -> Vec<String> {
    let found = linked(page, resolve);
    let names: Vec<String> = site.map(compact).into_iter().chain(domain_name(page)).collect();
    let is_named = |link: &LinkedProfile| {
        let name = compact(&link.name);
        let is_part = |own: &String| {
            own.len() >= MIN_NAME_BYTES && name.contains(own.as_str())
                || name.len() >= MIN_NAME_BYTES && own.contains(name.as_str())
        };
        names.iter().any(is_part)
    };
    let is_in_row = |link: &LinkedProfile| {
        let near = found.iter().filter(|other| other.index.abs_diff(link.index) <= ROW_LINKS);
        let mut networks: Vec<&str> = near.map(|other| other.network).collect();
        networks.sort_unstable();
        networks.dedup();
        networks.len() >= MIN_IN_ROW
    };
    let mut own: Vec<&LinkedProfile> = Vec::new();
    for link in &found {
        let document = &page.document;
        let is_own = document.has_rel(link.node, "me")
            || document.is_in_header_or_footer(link.node) && (is_named(link) || is_in_row(link));
        let is_new = own.iter().all(|known| known.network != link.network);
        if is_own && is_new && own.len() < MAX_PROFILES {
            own.push(link);
        }
    }
    own.into_iter().map(|link| link.url.clone()).collect()
}

/// A link to a profile.
struct LinkedProfile {
    network: &'static str,
    /// The name in its path.
    name: String,
    url: String,
    /// Links of the page before it.
    index: usize,
    node: NodeId,
}

fn linked(page: &AuditedPage<'_>, resolve: &UrlResolver) -> Vec<LinkedProfile> {
    let mut found = Vec::new();
    for (index, anchor) in page.page().anchors.iter().enumerate() {
        if found.len() == MAX_LINKED {
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
        if url.query().is_some() || !profile.has(url.path()) {
            continue;
        }
        // One network under two names.
        let network = if profile.host == "twitter.com" { "x.com" } else { profile.host };
        let name =
            url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        found.push(LinkedProfile { network, name, url: url.to_string(), index, node: anchor.node });
    }
    found
}
