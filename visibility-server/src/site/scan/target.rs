//! What people paste: a domain, or an address with one.

use std::borrow::Cow;

use url::form_urlencoded;
use visibility_core::error::Problem;
use visibility_core::fetch::domain::Domain;
use visibility_core::fetch::site_target::SiteTarget;
use visibility_core::text::escape::is_hidden;

/// What is around an address in a text that it was copied from.
const AROUND: [char; 20] = [
    '"', '\'', '`', '<', '>', '(', ')', '{', '}', '«', '»', '“', '”', '„', '‘', '’', ',', ';', '!',
    '*',
];

/// A domain to scan.
#[derive(Debug)]
pub(super) struct PastedTarget {
    pub(super) domain: Domain,
    /// Whether there was more than a domain, which is left out.
    pub(super) is_shortened: bool,
}

/// Reads what was pasted.
///
/// # Errors
///
/// What is wrong with it, in the words of the API.
pub(super) fn parse(pasted: &str) -> Result<PastedTarget, Problem> {
    let cleaned = cleaned(pasted);
    let (text, has_words) = match address_in(&cleaned) {
        Some(address) => (unescaped(address), true),
        None => (unescaped(&cleaned), false),
    };
    let address = with_scheme(&text);
    let target = match SiteTarget::parse(&address) {
        // A site on the machine of the server is none that a form leads to.
        Ok(target) if target.origin.is_some() => text.parse().map(|domain| (domain, false)),
        Ok(target) => Ok((target.domain, target.pasted_url.is_some_and(|pasted| pasted.is_page))),
        Err(error) => Err(error),
    };
    let (domain, is_shortened) = target.map_err(|error| Problem::from(&error))?;
    Ok(PastedTarget { domain, is_shortened: is_shortened || has_words })
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
        for (pasted, domain, is_shortened) in [
            ("example.com", "example.com", false),
            ("  example.com\t\n", "example.com", false),
            ("Example.COM.", "example.com", false),
            ("https://Example.COM/x?y", "example.com", true),
            ("https://example.com/", "example.com", false),
            ("http://example.com:80/", "example.com", false),
            ("https://example.com:443", "example.com", false),
            ("example.com:443", "example.com", false),
            ("HTTP://WWW.example.com#top", "www.example.com", true),
            ("//example.com/a", "example.com", true),
            ("https:example.com", "example.com", false),
            ("https:/example.com/a", "example.com", true),
            ("https://https://example.com", "example.com", false),
            ("view-source:https://example.com/", "example.com", false),
            ("<https://example.com/>", "example.com", false),
            ("\"example.com\",", "example.com", false),
            ("(example.com)", "example.com", false),
            ("\u{feff}example.com\u{200b}", "example.com", false),
            ("münchen.de", "xn--mnchen-3ya.de", false),
            ("https://münchen.de/straße", "xn--mnchen-3ya.de", true),
            ("example\u{3002}com", "example.com", false),
            ("EXAMPLE.COM", "example.com", false),
            ("www.example.com.", "www.example.com", false),
            ("example.com/", "example.com", false),
            ("example.com?utm_source=x", "example.com", true),
            ("example.com#top", "example.com", true),
            ("https://example.com?", "example.com", true),
            ("https://example.com/#:~:text=hello", "example.com", true),
            ("https://example.com/a b", "example.com", true),
            ("https://example.com/ş?q=ı", "example.com", true),
            ("https://example.com\\a", "example.com", true),
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
            ("https%3A%2F%2Fexample.com%2Fa", "example.com", true),
            ("[Example](https://example.com/a)", "example.com", true),
            ("https://example.com/ https://example.org/", "example.com", true),
            ("Example: https://example.com/a", "example.com", true),
        ] {
            let found = parse(pasted).unwrap_or_else(|problem| panic!("{pasted}: {problem:?}"));
            assert_eq!(found.domain.as_str(), domain, "{pasted}");
            assert_eq!(found.is_shortened, is_shortened, "{pasted}");
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
}
