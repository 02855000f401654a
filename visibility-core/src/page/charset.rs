//! The character encoding of a page, and its decoding.

mod meta;
mod mojibake;

use std::borrow::Cow;

pub use self::mojibake::Mojibake;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, WINDOWS_1252, X_USER_DEFINED};

/// A decoded page.
#[derive(Debug)]
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether bytes were malformed for the encoding.
    pub(super) is_broken: bool,
    /// Whether it is UTF-8 that is declared to be something else.
    pub(super) mojibake: Option<Mojibake>,
}

/// Decodes a page: byte-order mark, header, `<meta>`, UTF-8 if valid, else what the bytes are most likely, as Firefox
/// guesses it.
///
/// NUL is left out: the tree builder ignores it, and it would cost time on hostile pages.
pub(super) fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Decoded<'a> {
    let marked = Encoding::for_bom(body);
    let declared = if marked.is_some() { None } else { declared(body, content_type) };
    let (encoding, mark) =
        marked.or_else(|| Some((declared?, 0))).unwrap_or_else(|| (guessed(body), 0));
    let body = body.get(mark..).unwrap_or_default();
    let mojibake = declared.and_then(|declared| Mojibake::find(body, declared));
    let (text, is_broken) = encoding.decode_without_bom_handling(body);
    let text = if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { text };
    Decoded { text, is_broken, mojibake }
}

fn declared(body: &[u8], content_type: Option<&str>) -> Option<&'static Encoding> {
    content_type.and_then(from_header).or_else(|| meta::declared(body))
}

fn guessed(body: &[u8]) -> &'static Encoding {
    let is_utf8 = Encoding::utf8_valid_up_to(body) == body.len() || is_cut_utf8(body);
    if is_utf8 {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(body, true);
    detector.guess(None, Utf8Detection::Deny)
}

/// Whether the body is UTF-8 but for a last character that a cap of bytes cut in two.
fn is_cut_utf8(body: &[u8]) -> bool {
    let valid = Encoding::utf8_valid_up_to(body);
    valid > 0
        && std::str::from_utf8(body.get(valid..).unwrap_or_default())
            .is_err_and(|error| error.error_len().is_none())
}

fn from_header(content_type: &str) -> Option<&'static Encoding> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let label = value.trim().trim_matches(['"', '\'']);
        name.trim().eq_ignore_ascii_case("charset").then(|| usable(label)).flatten()
    })
}

/// The encoding of a label. That of `x-user-defined` has private characters, which say nothing to a reader.
fn usable(label: &str) -> Option<&'static Encoding> {
    let found =
        Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != REPLACEMENT)?;
    Some(if found == X_USER_DEFINED { WINDOWS_1252 } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_of_a_charset_have_an_order() {
        let cases: [(&[u8], Option<&str>, &str); 9] = [
            (b"\xef\xbb\xbfi\xc5\x9f", Some("text/html; charset=iso-8859-9"), "iş"),
            (b"\xff\xfei\0", None, "i"),
            (b"i\xfe", Some("text/html; charset=\"iso-8859-9\""), "iş"),
            (
                b"<meta charset='utf-8'>\xfe",
                Some("text/html;charset=windows-1254"),
                "<meta charset='utf-8'>ş",
            ),
            (
                b"<META http-equiv=content-type content='text/html; charset=windows-1254'>\xfe",
                None,
                "<META http-equiv=content-type content='text/html; charset=windows-1254'>ş",
            ),
            (b"<meta charset=utf-16>\xc3\xbc", None, "<meta charset=utf-16>ü"),
            (b"\xc3\xbc", Some("text/html; charset=nonsense"), "ü"),
            (b"\xc3\xbc\xc3", None, "ü\u{fffd}"),
            (b"\xfc and \xe9", None, "ü and é"),
        ];
        for (body, header, text) in cases {
            assert_eq!(decode(body, header).text, text, "{body:?} {header:?}");
        }
    }

    #[test]
    fn bytes_that_are_none_of_the_charset_are_noticed() {
        let cases: [(&[u8], Option<&str>, bool); 5] = [
            (b"\xc3\xbc", Some("text/html; charset=utf-8"), false),
            (b"\xfc", Some("text/html; charset=utf-8"), true),
            (b"<meta charset=utf-8>\xfc", None, true),
            (b"\xfc", None, false),
            ("\u{fffd}".as_bytes(), Some("text/html; charset=utf-8"), false),
        ];
        for (body, header, is_broken) in cases {
            assert_eq!(decode(body, header).is_broken, is_broken, "{body:?}");
        }
    }

    #[test]
    fn a_charset_that_is_not_declared_is_guessed() {
        let japanese = "<p>やかんは四分で一・七リットルの水を沸かします。ふたは片手で開きます。";
        let chinese = "<p>这个水壶四分钟就能烧开一点七升水。盖子可以用一只手打开。";
        let korean = "<p>이 주전자는 사 분 만에 물을 끓입니다. 뚜껑은 한 손으로 열 수 있습니다.";
        let russian = "<p>Чайник кипятит воду за четыре минуты. Крышка открывается одной рукой.";
        let turkish = "<p>Su ısıtıcısı dört dakikada bir litre suyu kaynatır, kapağı tek elle açılır. Sapı sıcakken \
            bile serin kalır ve elinizi yakmaz; içi çelikten, dışı ise ışığa dayanıklı plastiktendir.";
        for (label, text) in [
            ("shift_jis", japanese),
            ("euc-jp", japanese),
            ("gbk", chinese),
            ("big5", "<p>這個水壺四分鐘就能燒開一點七升水。蓋子可以用一隻手打開。"),
            ("euc-kr", korean),
            ("windows-1251", russian),
            ("koi8-r", russian),
            ("windows-1254", turkish),
        ] {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let (body, _, has_losses) = encoding.encode(text);
            assert!(!has_losses, "{label}");
            assert_eq!(decode(&body, None).text, text, "{label}");
        }
    }

    #[test]
    fn nul_is_left_out() {
        assert_eq!(decode(b"a\0b", None).text, "ab");
    }
}
