//! Which hosts are domains: IDNA, lengths, reserved names and suffixes.

use std::borrow::Cow;

use idna::uts46::{AsciiDenyList, DnsLength, Hyphens, Uts46};

use crate::fetch::domain::{Domain, DomainError, suffix};

/// Bytes of a name without its final dot: RFC 1035 section 2.3.4.
const MAX_NAME_BYTES: usize = 253;
/// Bytes of a label: RFC 1035 section 2.3.4.
const MAX_LABEL_BYTES: usize = 63;

/// Names that are not on the internet: RFC 6761, 6762, 7686 and 9476, and those that private
/// networks use although they are not reserved.
const SPECIAL_USE: [&str; 16] = [
    "alt",
    "arpa",
    "corp",
    "example",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "mail",
    "onion",
    "private",
    "test",
];

pub(super) fn parse_host(text: &str) -> Result<Domain, DomainError> {
    let ascii = to_ascii(text)?;
    let last = ascii.rsplit('.').next().unwrap_or_default();
    if is_number(last) {
        return Err(DomainError::IpLiteral);
    }
    if SPECIAL_USE.contains(&last) {
        return Err(DomainError::SpecialUse { name: last.to_owned() });
    }
    if !suffix::is_delegated(last) {
        return Err(if ascii == last {
            DomainError::SingleLabel { name: ascii }
        } else {
            DomainError::UndelegatedTld { name: last.to_owned() }
        });
    }
    if suffix::is_icann_suffix(&ascii) {
        return Err(DomainError::PublicSuffix { name: ascii });
    }
    Ok(Domain(ascii))
}

/// Whether a name of a URL is of a private network, as one that is reserved or has no dot.
#[cfg(feature = "http")]
pub(crate) fn is_off_the_internet(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    let last = name.rsplit('.').next().unwrap_or_default();
    last == name || SPECIAL_USE.contains(&last)
}

/// UTS 46 without transitional processing; one final dot is dropped.
fn to_ascii(text: &str) -> Result<String, DomainError> {
    let strict = Uts46::new().to_ascii(
        text.as_bytes(),
        AsciiDenyList::STD3,
        Hyphens::Check,
        DnsLength::VerifyAllowRootDot,
    );
    let Ok(ascii) = strict else { return Err(fault(text)) };
    let ascii = ascii.strip_suffix('.').unwrap_or(&ascii);
    if ascii.is_empty() { Err(DomainError::EmptyLabel) } else { Ok(ascii.to_owned()) }
}

/// Why [`to_ascii`] refused a text.
fn fault(text: &str) -> DomainError {
    let Some(ascii) = to_ascii_leniently(text) else {
        return match text.chars().find(|&c| !is_label_character(c)) {
            Some(character) => DomainError::Character { character, suggestion: None },
            None => DomainError::Punycode,
        };
    };
    let ascii = ascii.strip_suffix('.').unwrap_or(&ascii);
    if ascii.split('.').any(str::is_empty) {
        DomainError::EmptyLabel
    } else if let Some(label) = ascii.split('.').find(|label| label.len() > MAX_LABEL_BYTES) {
        DomainError::LabelTooLong { bytes: label.len() }
    } else if ascii.len() > MAX_NAME_BYTES {
        DomainError::TooLong
    } else {
        DomainError::Hyphen
    }
}

fn to_ascii_leniently(text: &str) -> Option<String> {
    let ascii = Uts46::new().to_ascii(
        text.as_bytes(),
        AsciiDenyList::STD3,
        Hyphens::Allow,
        DnsLength::Ignore,
    );
    ascii.ok().map(Cow::into_owned)
}

fn is_label_character(c: char) -> bool {
    to_ascii_leniently(c.encode_utf8(&mut [0; 4])).is_some()
}

/// "Ends in a number" of the URL standard: such a host is an IPv4 address in some spelling.
fn is_number(label: &str) -> bool {
    let hexadecimal = label.strip_prefix("0x");
    !label.is_empty() && label.bytes().all(|b| b.is_ascii_digit())
        || hexadecimal.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> DomainError {
        match text.parse::<Domain>() {
            Ok(domain) => panic!("{text:?} was accepted as {domain}"),
            Err(error) => error,
        }
    }

    fn domain(text: &str) -> Domain {
        text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    #[test]
    fn an_address_is_refused_in_every_disguise() {
        for text in [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "2130706433",
            "0x7f.1",
            "0x7f000001",
            "0x",
            "0X7F.0x1",
            "017700000001",
            "0177.0.0.1",
            "127.0.0.1.",
            "①②⑦.0.0.1",
            "１２７.０.０.１",
            "127。0。0。1",
            "127．0．0．1",
            "127｡0｡0｡1",
            "1.1.1.256",
            "999.999.999.999",
            "256",
            "foo.0",
            "foo.0x",
            "foo.0xff",
            "example.com.1",
            "::1",
            "::",
            "fe80::1%eth0",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "::ffff:10.0.0.1",
            "[::1]:80",
            "2001:db8::1",
            "０ｘ７ｆ.１",
        ] {
            assert_eq!(refusal(text), DomainError::IpLiteral, "{text:?}");
        }
    }

    #[test]
    fn names_that_only_look_like_addresses_are_names() {
        for text in ["1.com", "127.0.0.1.com", "0x7f.com", "1e100.net", "127.0.0.1.nip.io"] {
            assert_eq!(domain(text).as_str(), text);
        }
    }

    #[test]
    fn letters_fold_by_unicode_and_never_by_the_rules_of_turkish() {
        for (text, name) in [
            ("ISTANBUL.com", "istanbul.com"),
            ("İstanbul.com", "xn--istanbul-o0e.com"),
            ("ıstanbul.com", "xn--stanbul-qfb.com"),
            ("ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"),
            ("EXAMPLE。COM", "example.com"),
            ("faß.de", "xn--fa-hia.de"),
            ("ΠΑΡΆΔΕΙΓΜΑ.gr", "xn--hxajbheg2az3al.gr"),
            ("xn--hxajbheg2az3al.GR", "xn--hxajbheg2az3al.gr"),
            ("例え.jp", "xn--r8jz45g.jp"),
            ("президент.рф", "xn--d1abbgf6aiiy.xn--p1ai"),
            ("soft\u{ad}hyphen.com", "softhyphen.com"),
            (" \t\r\nexample.com\n", "example.com"),
            ("example.com.", "example.com"),
            ("example.com。", "example.com"),
        ] {
            assert_eq!(domain(text).as_str(), name, "{text:?}");
        }
    }

    #[test]
    fn a_name_has_at_most_253_bytes_and_a_label_63() {
        let label = "a".repeat(63);
        let name = |last: usize| format!("{label}.{label}.{label}.{}.com", "a".repeat(last));
        assert_eq!(domain(&name(57)).as_str().len(), 253);
        assert_eq!(domain(&format!("{}.", name(57))).as_str().len(), 253);
        assert_eq!(refusal(&name(58)), DomainError::TooLong);
        assert_eq!(domain(&format!("{label}.com")).as_str().len(), 67);
        assert_eq!(refusal(&format!("a{label}.com")), DomainError::LabelTooLong { bytes: 64 });
        assert_eq!(refusal(&"a".repeat(1025)), DomainError::TooLong);
        assert_eq!(refusal(&"a.".repeat(100_000)), DomainError::TooLong);
    }

    #[test]
    fn each_reason_has_its_own_variant() {
        for (text, id) in [
            ("", "empty"),
            (" \r\n", "empty"),
            (".", "empty-label"),
            ("..", "empty-label"),
            ("example..com", "empty-label"),
            (".example.com", "empty-label"),
            ("example.com..", "empty-label"),
            ("-example.com", "hyphen"),
            ("example-.com", "hyphen"),
            ("ab--cd.com", "hyphen"),
            ("xn--zn7c.com", "punycode"),
            ("xn--.com", "punycode"),
            ("xn--a.com", "punycode"),
            ("ex_ample.com", "character"),
            ("_dmarc.example.com", "character"),
            ("example.com\u{0}", "character"),
            ("exam ple.com", "character"),
            ("example.com\u{202e}", "character"),
            ("user\u{ff20}example.com", "character"),
            ("example\u{2024}com", "character"),
            ("*.example.com", "character"),
            ("localhost", "special-use"),
            ("internal", "special-use"),
            ("intranet", "special-use"),
            ("server", "single-label"),
            ("printer.local", "special-use"),
            ("home.arpa", "special-use"),
            ("a.b.test", "special-use"),
            ("foo.docker", "undelegated-tld"),
            ("example.con", "undelegated-tld"),
            ("com", "public-suffix"),
            ("ck", "public-suffix"),
            ("com.tr", "public-suffix"),
            ("co.uk", "public-suffix"),
            ("公司.cn", "public-suffix"),
            ("kyoto.jp", "public-suffix"),
            ("foo.ck", "public-suffix"),
            ("user@example.com", "user-info"),
            ("example.com:443", "port"),
            ("mailto:a.example.com", "port"),
            ("example.com/", "path"),
            ("example.com?x", "path"),
            ("example.com#x", "path"),
            ("//example.com", "path"),
            ("example.com\\@evil.com", "path"),
            ("https://example.com", "scheme"),
            ("http://127.0.0.1/", "scheme"),
        ] {
            assert_eq!(refusal(text).id(), id, "{text:?}");
        }
    }

    #[test]
    fn a_suffix_of_the_private_section_is_a_site() {
        for text in ["github.io", "myshopify.com", "vercel.app", "blogspot.com", "us.com"] {
            assert_eq!(domain(text).registrable(), text);
        }
        assert_eq!(domain("shop.me.github.io").registrable(), "me.github.io");
    }

    #[test]
    fn wildcards_and_exceptions_of_the_list_decide_what_is_registrable() {
        for (text, registrable) in [
            ("www.ck", "www.ck"),
            ("a.www.ck", "www.ck"),
            ("a.b.foo.ck", "b.foo.ck"),
            ("city.kawasaki.jp", "city.kawasaki.jp"),
            ("a.city.kawasaki.jp", "city.kawasaki.jp"),
            ("a.b.other.kawasaki.jp", "b.other.kawasaki.jp"),
            ("www.shop.example.com.tr", "example.com.tr"),
            ("www.公司.cn", "www.xn--55qx5d.cn"),
        ] {
            assert_eq!(domain(text).registrable(), registrable, "{text:?}");
        }
    }
}
