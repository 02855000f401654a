//! What people paste: a domain, or the address of a page.

use std::borrow::Cow;

use url::{Url, form_urlencoded};
use visibility_core::audit::is_tracking;
use visibility_core::error::Problem;
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::page_url::PageUrl;
use visibility_core::fetch::site_target::SiteTarget;
use visibility_core::text::escape::is_hidden;

/// What is around an address in a text that it was copied from.
const AROUND: [char; 20] = [
    '"', '\'', '`', '<', '>', '(', ')', '{', '}', '«', '»', '“', '”', '„', '‘', '’', ',', ';', '!',
    '*',
];

/// What was pasted.
#[derive(Debug)]
pub(super) enum PastedTarget {
    /// A domain to scan.
    Domain {
        /// The domain.
        domain: Domain,
        /// Whether there was more than a domain, which is left out.
        is_shortened: bool,
    },
    /// A page to audit.
    Page(PageUrl),
}

/// Reads what was pasted: a domain, or the address of a page other than the home page.
///
/// # Errors
///
/// What is wrong with it, in the words of the API.
pub(super) fn parse(pasted: &str) -> Result<PastedTarget, Problem> {
    let cleaned = cleaned(pasted);
    let (text, has_words) = copied_address(&cleaned);
    let first = first_address(&text);
    let is_one_of_several = first.len() < text.len();
    let address = with_scheme(first);
    let target = match SiteTarget::parse(&address) {
        // A site on the machine of the server is none that a form leads to.
        Ok(target) if target.origin.is_some() => text.parse().map(|domain| (domain, None)),
        Ok(target) => Ok((target.domain, target.pasted_url.filter(|pasted| pasted.is_page))),
        Err(error) => Err(error),
    };
    let (domain, page) = target.map_err(|error| Problem::from(&error))?;
    let is_shortened = has_words || is_one_of_several || page.is_some();
    let Some(page) = page.filter(|page| is_other_than_home(&page.url)) else {
        return Ok(PastedTarget::Domain { domain, is_shortened });
    };
    page.url.parse().map(PastedTarget::Page).map_err(|error| Problem::from(&error))
}

/// Reads what was pasted as the address of a page: the home page, if it is only a domain.
///
/// # Errors
///
/// What is wrong with it, in the words of the API.
pub(super) fn parse_page(pasted: &str) -> Result<PageUrl, Problem> {
    let cleaned = cleaned(pasted);
    let (text, _) = copied_address(&cleaned);
    let address = with_scheme(first_address(&text));
    let has_scheme = address.is_empty() || address.contains("://");
    let address = if has_scheme { address } else { format!("https://{address}") };
    address.parse().map_err(|error| Problem::from(&error))
}

/// The address in a text without what is around it, and whether there are words beside it.
fn copied_address(cleaned: &str) -> (Cow<'_, str>, bool) {
    match address_in(cleaned) {
        Some(address) => (unescaped(address), true),
        None => (unescaped(cleaned), false),
    }
}

/// Whether an address has a path, or a query that is more than where a visitor came from.
fn is_other_than_home(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let mut parameters = url.query().unwrap_or_default().split('&');
    url.path() != "/" || parameters.any(|one| !one.is_empty() && !is_tracking(one))
}

/// The first one of several addresses.
fn first_address(text: &str) -> &str {
    let second = text.match_indices("://").nth(1).map(|(at, _)| at);
    let before = second.and_then(|at| text.get(..at)).unwrap_or(text);
    // `https://https://example.com` is one address, and `https://a.com/ https://b.com` are two.
    let end = before.rfind(char::is_whitespace).filter(|_| second.is_some());
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// The text without what cannot be seen, and without what was around it.
fn cleaned(pasted: &str) -> String {
    let seen: String = pasted.chars().filter(|ch| !is_invisible(*ch)).collect();
    seen.trim_matches(|ch: char| ch.is_whitespace() || AROUND.contains(&ch)).to_owned()
}

/// Marks of direction are among it, which programs add to what is copied; but not those that turn what is shown around.
fn is_invisible(ch: char) -> bool {
    is_hidden(ch)
        || matches!(ch, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202c}' | '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// The one address in a text that has words before it, as `[Example](https://example.com/)` has.
fn address_in(text: &str) -> Option<&str> {
    let is_around = |ch: char| ch.is_whitespace() || AROUND.contains(&ch);
    let scheme = text.find("https://").into_iter().chain(text.find("http://")).min()?;
    let (before, rest) = text.split_at_checked(scheme)?;
    if !before.ends_with(is_around) {
        return None;
    }
    let (address, after) = rest.split_once(is_around).unwrap_or((rest, ""));
    (!after.contains("://")).then_some(address)
}

/// An address that was copied out of the query of another one, up to where the next parameter begins.
fn unescaped(text: &str) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    let is_escaped = ["http%3a", "https%3a"].iter().any(|scheme| lower.starts_with(scheme));
    let first = form_urlencoded::parse(text.as_bytes()).next().filter(|_| is_escaped);
    first.map_or(Cow::Borrowed(text), |(address, _)| address)
}

/// The text with a whole scheme if it begins like one, and without the port that its scheme has anyway.
fn with_scheme(text: &str) -> String {
    let mut rest = text;
    let mut scheme = None;
    // `view-source:https://`, and a scheme that was pasted behind one that was there.
    for _ in 0..3 {
        let lower = rest.to_ascii_lowercase();
        let known = ["view-source:", "https:", "http:", "//"]
            .into_iter()
            .find(|one| lower.starts_with(one));
        let Some(known) = known else { break };
        if let "https:" | "http:" = known {
            scheme = Some(known);
        }
        rest = rest.get(known.len()..).unwrap_or_default().trim_start_matches(['/', '\\']);
    }
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let usual = if scheme == Some("http:") { ":80" } else { ":443" };
    let authority = authority.strip_suffix(usual).unwrap_or(authority);
    match scheme {
        Some(scheme) => format!("{scheme}//{authority}{path}"),
        None => format!("{authority}{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_paste_is_a_domain() {
        for (pasted, expected, shortened) in [
            ("example.com", "example.com", false),
            ("  example.com\t\n", "example.com", false),
            ("Example.COM.", "example.com", false),
            ("https://example.com/", "example.com", false),
            ("http://example.com:80/", "example.com", false),
            ("https://example.com:443", "example.com", false),
            ("example.com:443", "example.com", false),
            ("HTTP://WWW.example.com#top", "www.example.com", true),
            ("https:example.com", "example.com", false),
            ("https://https://example.com", "example.com", false),
            ("view-source:https://example.com/", "example.com", false),
            ("<https://example.com/>", "example.com", false),
            ("\"example.com\",", "example.com", false),
            ("(example.com)", "example.com", false),
            ("\u{feff}example.com\u{200b}", "example.com", false),
            ("münchen.de", "xn--mnchen-3ya.de", false),
            ("example\u{3002}com", "example.com", false),
            ("EXAMPLE.COM", "example.com", false),
            ("www.example.com.", "www.example.com", false),
            ("example.com/", "example.com", false),
            ("example.com?utm_source=x", "example.com", true),
            ("example.com#top", "example.com", true),
            ("https://example.com?", "example.com", true),
            ("https://example.com/#:~:text=hello", "example.com", true),
            ("\u{a0}example.com\u{3000}", "example.com", false),
            ("exam\u{ad}ple.com", "example.com", false),
            ("\u{202a}example.com\u{202c}", "example.com", false),
            ("ｅｘａｍｐｌｅ．ｃｏｍ", "example.com", false),
            ("faß.de", "xn--fa-hia.de", false),
            ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de", false),
            ("çiçek.com.tr", "xn--iek-1lab.com.tr", false),
            ("İSTANBUL.com.tr", "xn--istanbul-o0e.com.tr", false),
            ("例え.jp", "xn--r8jz45g.jp", false),
            ("`example.com`", "example.com", false),
            ("«example.com»", "example.com", false),
            ("example.com;", "example.com", false),
            ("http://https://example.com/", "example.com", false),
            ("a.b.c.d.e.example.com", "a.b.c.d.e.example.com", false),
            ("https://example.com/ https://example.org/", "example.com", true),
            ("https://example.com/?utm_source=x&gclid=1", "example.com", true),
            ("https://example.com/ \n https://example.org/", "example.com", true),
        ] {
            let found = parse(pasted).unwrap_or_else(|problem| panic!("{pasted}: {problem:?}"));
            let PastedTarget::Domain { domain, is_shortened } = found else {
                panic!("{pasted}: {found:?}")
            };
            assert_eq!(domain.as_str(), expected, "{pasted}");
            assert_eq!(is_shortened, shortened, "{pasted}");
        }
    }

    #[test]
    fn an_address_with_a_path_is_a_page() {
        for (pasted, expected) in [
            ("https://Example.COM/x?y", "https://example.com/x?y"),
            ("//example.com/a", "https://example.com/a"),
            ("https:/example.com/a", "https://example.com/a"),
            ("https://münchen.de/straße", "https://xn--mnchen-3ya.de/stra%C3%9Fe"),
            ("https://example.com/a b", "https://example.com/a%20b"),
            ("https://example.com/ş?q=ı", "https://example.com/%C5%9F?q=%C4%B1"),
            ("https://example.com\\a", "https://example.com/a"),
            ("https%3A%2F%2Fexample.com%2Fa", "https://example.com/a"),
            ("[Example](https://example.com/a)", "https://example.com/a"),
            ("Example: https://example.com/a", "https://example.com/a"),
            ("example.com/a#b", "https://example.com/a"),
            ("http://example.com:80/a", "http://example.com/a"),
            ("https://example.com/?p=123&utm_source=x", "https://example.com/?p=123&utm_source=x"),
            ("https://example.com/a https://example.com/b", "https://example.com/a"),
        ] {
            let found = parse(pasted).unwrap_or_else(|problem| panic!("{pasted}: {problem:?}"));
            let PastedTarget::Page(url) = found else { panic!("{pasted}: {found:?}") };
            assert_eq!(url.as_str(), expected, "{pasted}");
        }
    }

    #[test]
    fn what_is_no_public_domain_is_refused() {
        let long = "a".repeat(8_192);
        for pasted in [
            "",
            " ",
            "localhost",
            "http://localhost:3000",
            "127.0.0.1",
            "https://192.168.0.1/",
            "[::1]",
            "https://user:secret@example.com/",
            "info@example.com",
            "ftp://example.com/",
            "mailto:a@example.com",
            "javascript:alert(1)",
            "example.com:8443",
            "two words",
            "a.com b.com",
            "example",
            "exa\0mple.com",
            "https://",
            "///",
            "example..com",
            ".example.com",
            "-example.com",
            "exa mple.com",
            "example.c",
            "example.com,example.org",
            "http://example.com:8080/x",
            "file:///etc/passwd",
            "data:text/html,x",
            "0x7f.1",
            "2130706433",
            "1.2.3",
            "http://[::ffff:10.0.0.1]/",
            "C:\\Users\\me",
            "example.local",
            "router.lan",
            "a.onion",
            "test.invalid",
            "#",
            "?target=example.com",
            "%00",
            "\u{202e}moc.elpmaxe",
            "example.com\nexample.org",
            "see https://example.com/ and https://example.org/",
            &long,
        ] {
            assert!(parse(pasted).is_err(), "{pasted}");
        }
    }

    #[test]
    fn the_form_for_pages_takes_every_address() {
        for (pasted, expected) in [
            ("example.com", "https://example.com/"),
            (" <https://example.com/a?b#c> ", "https://example.com/a?b"),
            ("http://example.com:8080/a", "http://example.com:8080/a"),
            ("http://192.0.2.1/", "http://192.0.2.1/"),
            ("localhost", "https://localhost/"),
        ] {
            let found =
                parse_page(pasted).unwrap_or_else(|problem| panic!("{pasted}: {problem:?}"));
            assert_eq!(found.as_str(), expected, "{pasted}");
        }
        for pasted in ["", " ", "two words", "info@example.com", "ftp://example.com/", "https://"] {
            assert!(parse_page(pasted).is_err(), "{pasted}");
        }
    }
}
