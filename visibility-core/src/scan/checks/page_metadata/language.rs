//! Language tags that readers understand.

use crate::page::language_tag;

/// Languages with two letters, from the IANA Language Subtag Registry.
const TWO_LETTERS: &str = "
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da
    de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz
    ia id ie ig ii ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la
    lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj
    om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv
    sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
";

/// Whether a tag is well-formed (RFC 5646 section 2.1) and its language can exist.
///
/// A language of two letters must be registered, so that `jp` is refused; one of four letters and
/// more is refused too, as none is registered. Other subtags are not looked up.
pub(super) fn is_known(tag: &str) -> bool {
    let language = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
    let is_known = match language.len() {
        1 | 3 => true,
        2 => TWO_LETTERS.split_whitespace().any(|known| known == language),
        _ => false,
    };
    is_known && language_tag::is_well_formed(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5646, section 2.2.1: subtags of languages are those of the registry.
    #[test]
    fn a_language_must_exist() {
        for tag in ["tr", "en-US", "zh-Hant", "TR-tr", "gsw", "x-private", "i-klingon"] {
            assert!(is_known(tag), "{tag}");
        }
        for tag in ["", "jp", "cz", "english", "turkish", "en_US", "tr TR", "ü"] {
            assert!(!is_known(tag), "{tag}");
        }
    }
}
