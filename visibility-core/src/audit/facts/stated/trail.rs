//! The path to a page, where it shows a marked one.

use url::Url;

use super::proven::{Proof, Proven};
use super::{UrlResolver, clean};
use crate::audit::address;
use crate::audit::page::AuditedPage;
use crate::page::language::is_name_of_language;
use crate::text::fold::fold;

/// Steps of the longest trail.
const MAX_STEPS: usize = 8;
/// Characters of the name of a step.
const MAX_STEP_CHARS: usize = 70;

/// The path to the page, without the page itself; `None` where a list of links is not one for certain: where a
/// name comes twice, home is not the first step, or a link does something else than to lead up.
pub(super) fn find(
    page: &AuditedPage<'_>,
    resolve: &UrlResolver,
    headline: Option<&str>,
) -> Option<Proven<Vec<(String, String)>>> {
    let own = page.snapshot.location()?;
    let mut steps: Vec<(String, Url)> = Vec::new();
    for link in &page.content.breadcrumbs {
        if link.href.starts_with('#') {
            return None;
        }
        let url = resolve(&link.href)?;
        let is_own = address::is_same(&url, own)
            || headline.is_some_and(|headline| is_name_of(&link.text, headline));
        if is_own {
            break;
        }
        let name = step_name(&link.text)?;
        let is_home = is_home_name(&name);
        let is_known = steps
            .iter()
            .any(|(other, to)| fold(other) == fold(&name) || address::is_same(to, &url));
        let is_first = steps.is_empty();
        if is_known || is_home && !is_first || !is_of_site(&url, own) || steps.len() == MAX_STEPS {
            return None;
        }
        steps.push((name, url));
    }
    // Menus of languages come close to trails.
    let languages = steps.iter().filter(|(name, _)| is_name_of_language(name)).count();
    let leads = steps.last().is_some_and(|(_, last)| last.path() != own.path());
    let steps = steps.into_iter().map(|(name, url)| (name, url.into())).collect();
    (languages == 0 && leads).then(|| Proven::new(steps, Proof::MarkedTrail))
}

/// Whether a last step is the page itself, which may have another address.
fn is_name_of(step: &str, headline: &str) -> bool {
    let (step, headline) = (fold(step.trim()), fold(headline.trim()));
    let is_start = |one: &str, other: &str| !one.is_empty() && other.starts_with(one);
    step.split(' ').count() > 1 && (is_start(&step, &headline) || is_start(&headline, &step))
        || step == headline
}

/// The name of a step; `None` for what is not one: a button, an icon, or nothing.
fn step_name(text: &str) -> Option<String> {
    const OTHERS: [&str; 20] = [
        "skip to",
        "skip navigation",
        "back to",
        "go to",
        "edit on",
        "edit this",
        "copy",
        "view page source",
        "log in",
        "login",
        "sign in",
        "sign up",
        "cart",
        "search",
        "menu",
        "subscribe",
        "share",
        "print",
        "see all",
        "zurück",
    ];
    const PICTURES: [&str; 6] = ["logo", "icon", "avatar", "image", "symbol", "favicon"];
    let name = clean(text)?;
    let folded = fold(&name);
    let mut words = folded.split(|ch: char| !ch.is_alphanumeric());
    let is_marked = name.starts_with(['<', '‹', '«', '←', '>', '#']);
    let is_other = OTHERS.iter().any(|other| folded.starts_with(other));
    let is_twice = {
        let words: Vec<&str> = folded.split(' ').collect();
        let (one, other) = words.split_at(words.len() / 2);
        !one.is_empty() && one == other
    };
    let is_picture = words.any(|word| PICTURES.contains(&word));
    let is_long = name.chars().count() > MAX_STEP_CHARS;
    let has_letter = name.chars().any(char::is_alphanumeric);
    (has_letter && !is_marked && !is_other && !is_twice && !is_picture && !is_long).then_some(name)
}

fn is_home_name(name: &str) -> bool {
    const HOME: [&str; 12] = [
        "home",
        "homepage",
        "home page",
        "start",
        "startseite",
        "accueil",
        "inicio",
        "ana sayfa",
        "anasayfa",
        "hem",
        "ホーム",
        "首页",
    ];
    HOME.contains(&fold(name).trim())
}

/// Whether an address is one of the same site.
fn is_of_site(url: &Url, own: &Url) -> bool {
    let host = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        host.strip_prefix("www.").unwrap_or(host).to_owned()
    };
    let (one, other) = (host(url), host(own));
    one == other || one.ends_with(&format!(".{other}")) || other.ends_with(&format!(".{one}"))
}
