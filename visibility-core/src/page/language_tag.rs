//! Language tags, [RFC 5646](https://www.rfc-editor.org/rfc/rfc5646), section 2.1.

use std::iter::Peekable;
use std::str::Split;

/// Tags that are registered but have another form.
const IRREGULAR: [&str; 17] = [
    "en-gb-oed",
    "i-ami",
    "i-bnn",
    "i-default",
    "i-enochian",
    "i-hak",
    "i-klingon",
    "i-lux",
    "i-mingo",
    "i-navajo",
    "i-pwn",
    "i-tao",
    "i-tay",
    "i-tsu",
    "sgn-be-fr",
    "sgn-be-nl",
    "sgn-ch-de",
];

/// Whether a text is a well-formed language tag. The registry of subtags is not consulted.
pub(crate) fn is_well_formed(tag: &str) -> bool {
    if IRREGULAR.iter().any(|known| known.eq_ignore_ascii_case(tag)) {
        return true;
    }
    let mut subtags = Subtags { rest: tag.split('-').peekable() };
    if subtags.rest.peek().is_some_and(|first| first.eq_ignore_ascii_case("x")) {
        return subtags.private_use() && subtags.rest.next().is_none();
    }
    subtags.language()
        && {
            subtags.take_if(|s| is_alpha(s, 4..=4));
            subtags.take_if(|s| is_alpha(s, 2..=2) || is_digits(s));
            while subtags.take_if(is_variant) {}
            subtags.extensions()
        }
        && (subtags.rest.peek().is_none() || subtags.private_use())
        && subtags.rest.next().is_none()
}

/// Languages with two letters, from the IANA Language Subtag Registry.
const TWO_LETTERS: &str = "
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
    ia id ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la
    lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj
    om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv
    sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
";

/// Regions with two letters, the codes of ISO 3166-1.
const REGIONS: &str = "
    ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs
    bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee
    eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk
    hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb
    lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz
    na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru
    rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn
    to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw
";

/// Further regions of the IANA Language Subtag Registry.
const OTHER_REGIONS: [&str; 10] = ["ac", "cp", "dg", "ea", "eu", "ez", "ic", "ta", "un", "xk"];

/// The region of two letters of a tag, in lower case.
fn region(tag: &str) -> Option<String> {
    let region = tag.split('-').skip(1).take(3).find(|subtag| is_alpha(subtag, 2..=2))?;
    Some(region.to_ascii_lowercase())
}

fn is_of_iso(region: &str) -> bool {
    REGIONS.split_whitespace().any(|known| known == region)
}

/// Whether a tag is one of a language version for engines: a known tag whose region, if it has one of two letters,
/// is a code of ISO 3166-1. The United Kingdom is `GB`.
pub(crate) fn is_version(tag: &str) -> bool {
    is_known(tag) && region(tag).is_none_or(|region| is_of_iso(&region))
}

/// Whether a tag is well-formed (RFC 5646 section 2.1), and its language and its region can exist.
///
/// A language of two letters must be registered, so that `jp` is refused; one of four letters and
/// more is refused too, as none is registered. Other subtags are not looked up.
pub(crate) fn is_known(tag: &str) -> bool {
    let language = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    let is_known = match language.len() {
        1 | 3 => true,
        2 => TWO_LETTERS.split_whitespace().any(|known| known == language),
        _ => false,
    };
    let is_region = |region: String| is_of_iso(&region) || OTHER_REGIONS.contains(&region.as_str());
    is_known && is_well_formed(tag) && region(tag).is_none_or(is_region)
}

struct Subtags<'a> {
    rest: Peekable<Split<'a, char>>,
}

impl Subtags<'_> {
    fn take_if(&mut self, wanted: impl Fn(&str) -> bool) -> bool {
        self.rest.next_if(|subtag| wanted(subtag)).is_some()
    }

    fn language(&mut self) -> bool {
        if self.take_if(|s| is_alpha(s, 2..=3)) {
            for _ in 0..3 {
                self.take_if(|s| is_alpha(s, 3..=3));
            }
            return true;
        }
        self.take_if(|s| is_alpha(s, 4..=8))
    }

    fn extensions(&mut self) -> bool {
        let is_singleton = |s: &str| is_alphanumeric(s, 1..=1) && !s.eq_ignore_ascii_case("x");
        while self.take_if(is_singleton) {
            if !self.take_if(|s| is_alphanumeric(s, 2..=8)) {
                return false;
            }
            while self.take_if(|s| is_alphanumeric(s, 2..=8)) {}
        }
        true
    }

    fn private_use(&mut self) -> bool {
        if !self.take_if(|s| s.eq_ignore_ascii_case("x")) {
            return false;
        }
        let found = self.take_if(|s| is_alphanumeric(s, 1..=8));
        while self.take_if(|s| is_alphanumeric(s, 1..=8)) {}
        found
    }
}

fn is_alpha(subtag: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&subtag.len()) && subtag.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_alphanumeric(subtag: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&subtag.len()) && subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_digits(subtag: &str) -> bool {
    subtag.len() == 3 && subtag.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_variant(subtag: &str) -> bool {
    is_alphanumeric(subtag, 5..=8)
        || (is_alphanumeric(subtag, 4..=4) && subtag.starts_with(|ch: char| ch.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples of RFC 5646, appendix A.
    #[test]
    fn tags_of_rfc_5646_appendix_a_are_well_formed() {
        for tag in [
            "de",
            "fr",
            "i-enochian",
            "zh-Hant",
            "sr-Latn",
            "zh-cmn-Hans-CN",
            "cmn-Hans-CN",
            "zh-yue-HK",
            "sl-rozaj-biske",
            "de-CH-1901",
            "hy-Latn-IT-arevela",
            "es-419",
            "de-CH-x-phonebk",
            "az-Arab-x-AZE-derbend",
            "x-whatever",
            "qaa-Qaaa-QM-x-southern",
            "en-US-u-islamcal",
            "zh-CN-a-myext-x-private",
            "en-a-myext-b-another",
            "tr-TR",
        ] {
            assert!(is_well_formed(tag), "{tag}");
        }
    }

    #[test]
    fn other_forms_are_not() {
        for tag in [
            "",
            "-",
            "en-",
            "-en",
            "en_US",
            "e",
            "en us",
            "de-419-DE",
            "a-DE",
            "en-a",
            "x",
            "x-",
            "türkçe",
            "en--US",
            "123",
            "englishlang",
            "de-x",
        ] {
            assert!(!is_well_formed(tag), "{tag}");
        }
    }

    /// RFC 5646, section 2.2.1: subtags of languages are those of the registry.
    #[test]
    fn a_language_must_exist() {
        assert!(
            is_version("en-GB")
                && is_version("es-419")
                && is_version("zh-Hant-TW")
                && is_version("tr")
        );
        assert!(
            !is_version("en-UK")
                && !is_version("en-EU")
                && !is_version("de-XX")
                && is_known("en-EU")
        );
        for tag in ["tr", "en-US", "zh-Hant", "TR-tr", "gsw", "x-private", "i-klingon"] {
            assert!(is_known(tag), "{tag}");
        }
        for tag in ["", "jp", "cz", "english", "turkish", "en_US", "tr TR", "ü"] {
            assert!(!is_known(tag), "{tag}");
        }
    }
}
