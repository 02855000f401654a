//! Language tags, [RFC 5646](https://www.rfc-editor.org/rfc/rfc5646#section-2.1).

/// Languages with two letters, from the IANA Language Subtag Registry.
const TWO_LETTERS: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu \
     cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr \
     ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks \
     ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn \
     no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn \
     so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo \
     xh yi yo za zh zu";

/// Whether a text is a usable language tag: well-formed, and its language can exist.
///
/// Languages of two letters must be registered, so that `jp` and `en_US` are refused. Languages of
/// four letters and more are refused too: none is registered. Other subtags are not looked up.
pub fn is_valid(tag: &str) -> bool {
    let subtags: Vec<String> = tag.split('-').map(str::to_ascii_lowercase).collect();
    let mut rest = subtags.iter().map(String::as_str).peekable();
    match rest.next() {
        Some("x") => return is_private(rest),
        Some(language) if is_language(language) => {}
        _ => return false,
    }
    for _ in 0..3 {
        rest.next_if(|subtag| subtag.len() == 3 && is_alphabetic(subtag));
    }
    rest.next_if(|subtag| subtag.len() == 4 && is_alphabetic(subtag));
    rest.next_if(|subtag| is_region(subtag));
    while rest.next_if(|subtag| is_variant(subtag)).is_some() {}
    while let Some(singleton) = rest.next() {
        match singleton {
            "x" => return is_private(rest),
            _ if singleton.len() == 1 && is_alphanumeric(singleton) => {}
            _ => return false,
        }
        let mut values = 0;
        while rest.next_if(|subtag| subtag.len() > 1 && is_value(subtag)).is_some() {
            values += 1;
        }
        if values == 0 {
            return false;
        }
    }
    true
}

fn is_language(subtag: &str) -> bool {
    match subtag.len() {
        2 => TWO_LETTERS.split_whitespace().any(|known| known == subtag),
        3 => is_alphabetic(subtag),
        _ => false,
    }
}

fn is_region(subtag: &str) -> bool {
    match subtag.len() {
        2 => is_alphabetic(subtag),
        3 => subtag.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

fn is_variant(subtag: &str) -> bool {
    let begins_with_digit = subtag.starts_with(|ch: char| ch.is_ascii_digit());
    is_alphanumeric(subtag)
        && (matches!(subtag.len(), 5..=8) || subtag.len() == 4 && begins_with_digit)
}

fn is_private<'a>(rest: impl Iterator<Item = &'a str>) -> bool {
    let mut any = false;
    for subtag in rest {
        if !is_value(subtag) {
            return false;
        }
        any = true;
    }
    any
}

fn is_value(subtag: &str) -> bool {
    matches!(subtag.len(), 1..=8) && is_alphanumeric(subtag)
}

fn is_alphabetic(subtag: &str) -> bool {
    subtag.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_alphanumeric(subtag: &str) -> bool {
    subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5646, appendix A.
    #[test]
    fn examples_of_the_standard_are_valid() {
        let tags = [
            "de",
            "fr",
            "ja",
            "zh-Hant",
            "sr-Cyrl",
            "zh-cmn-Hans-CN",
            "cmn-Hans-CN",
            "zh-yue-HK",
            "zh-Hans-CN",
            "sr-Latn-RS",
            "sl-rozaj",
            "sl-rozaj-biske",
            "de-CH-1901",
            "sl-IT-nedis",
            "hy-Latn-IT-arevela",
            "de-DE",
            "en-US",
            "es-419",
            "de-CH-x-phonebk",
            "x-whatever",
            "qaa-Qaaa-QM-x-southern",
            "en-US-u-islamcal",
            "zh-CN-a-myext-x-private",
        ];
        for tag in tags {
            assert!(is_valid(tag), "{tag}");
        }
    }

    /// RFC 5646, section 2.1, and appendix A for the first two.
    #[test]
    fn what_no_reader_understands_is_not_valid() {
        let tags = [
            "de-419-DE",
            "a-DE",
            "",
            "-",
            "en-",
            "en_US",
            "english",
            "turkish",
            "jp",
            "cz",
            "tr TR",
            "en-a",
            "x",
            "en--US",
            "tür",
            "*",
        ];
        for tag in tags {
            assert!(!is_valid(tag), "{tag}");
        }
    }
}
