//! Detects "not found" pages that are sent with status 200.

use crate::audit::page::AuditedPage;
use crate::text::fold::fold_to_ascii;

/// Characters of text from which on a page is one, whatever its title says.
const MAX_CHARS: usize = 500;
/// Characters of a title or heading that can be such a notice.
const MAX_NOTICE_CHARS: usize = 120;
/// Headings that are looked at.
const MAX_HEADINGS: usize = 5;

/// What such a page has as its title or heading, in [`plain`] letters.
const WHOLE: [&str; 12] = [
    "404",
    "404 error",
    "404 hatasi",
    "404 page",
    "404 sayfasi",
    "bulunamadi",
    "error 404",
    "hata 404",
    "http 404",
    "not found",
    "page missing",
    "sayfa yok",
];

/// Phrases that may appear anywhere in it.
const PARTS: [&str; 33] = [
    "404 bulunamadi",
    "404 error page",
    "404 not found",
    "404 page not found",
    "404 sayfa bulunamadi",
    "aradiginiz icerik bulunamadi",
    "aradiginiz sayfa",
    "aradiginiz urun bulunamadi",
    "boyle bir sayfa yok",
    "bu sayfa artik mevcut degil",
    "content not found",
    "could not find that page",
    "could not find the page",
    "couldn t find that page",
    "couldn t find the page",
    "error 404 not found",
    "icerik bulunamadi",
    "page can t be found",
    "page cannot be found",
    "page could not be found",
    "page couldn t be found",
    "page does not exist",
    "page doesn t exist",
    "page is no longer available",
    "page isn t available",
    "page not found",
    "page was not found",
    "product not found",
    "sayfa bulunamadi",
    "sayfa bulunamiyor",
    "sayfa kaldirilmis",
    "sayfa mevcut degil",
    "urun bulunamadi",
];

/// The title or heading by which a page says that there is nothing; `None` if it is a page, or has
/// more text than such a notice has.
pub(super) fn words<'a>(page: &'a AuditedPage<'_>) -> Option<&'a str> {
    let facts = page.page();
    let title = facts.title.iter().map(|title| title.value.as_str());
    let headings = facts.h1s().take(MAX_HEADINGS).map(|heading| heading.text.as_str());
    let notice = title.chain(headings).find(|text| is_notice(text))?;
    // Without main content, all that is visible counts.
    let chars = match page.content.chars {
        0 => facts.visible_chars(),
        chars => chars.min(facts.visible_chars()),
    };
    (chars < MAX_CHARS).then_some(notice)
}

fn is_notice(text: &str) -> bool {
    if text.chars().count() > MAX_NOTICE_CHARS {
        return false;
    }
    let plain = plain(text);
    // The name of the site is behind a sign of its own, which became a space.
    let first = text.split(['|', '–', '—', '·', '»']).next().map(self::plain);
    let is_whole = |text: &str| WHOLE.contains(&text);
    is_whole(&plain)
        || first.is_some_and(|first| is_whole(&first))
        || text.split(" - ").any(|part| is_whole(&self::plain(part)))
        || PARTS.iter().any(|part| format!(" {plain} ").contains(&format!(" {part} ")))
}

/// Lower case, without the marks of Turkish letters; all that is not a letter or digit is one space.
fn plain(text: &str) -> String {
    let folded = fold_to_ascii(text);
    let letters: String =
        folded.chars().map(|ch| if ch.is_alphanumeric() { ch } else { ' ' }).collect();
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_distinguished_from_titles_about_something() {
        for (text, expected) in [
            ("404", true),
            ("404 | Example", true),
            ("Example - 404", true),
            ("404 - Example Shop", true),
            ("Page Not Found – Example", true),
            ("Oops! That page can’t be found.", true),
            ("SAYFA BULUNAMADI", true),
            ("Aradığınız sayfa bulunamadı | Örnek", true),
            ("Hata 404", true),
            ("Ürün bulunamadı", true),
            ("404 Media", false),
            ("Peugeot 404", false),
            ("404 Main Street", false),
            ("Lost and found", false),
            ("Gas not found on Mars", false),
            ("Not found: a novel", false),
            ("Homepage notes found", false),
            ("", false),
        ] {
            assert_eq!(is_notice(text), expected, "{text}");
        }
    }
}
