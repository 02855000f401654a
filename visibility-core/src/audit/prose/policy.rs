//! Links to pages that say who stands behind a site, and what it promises.

use crate::audit::prose::fold::fold_to_ascii;
use crate::page::Anchor;

/// What a link of trust leads to.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Policy {
    /// How to reach somebody.
    Contact,
    /// Who it is.
    About,
    /// How to give something back.
    Returns,
    /// How something arrives.
    Shipping,
    /// What is promised.
    Warranty,
    /// What happens to data.
    Privacy,
    /// What is agreed.
    Terms,
}

/// Words of a link that names a page; more are a headline.
const MAX_WORDS: usize = 6;
/// Octets of an address of which the end is looked at.
const MAX_ADDRESS_BYTES: usize = 2_048;

impl Policy {
    /// What a link leads to, by its text, else by the end of its path.
    pub(crate) fn of(anchor: &Anchor) -> Option<Self> {
        let href = anchor.href.trim();
        let scheme = href.split(':').next().unwrap_or_default();
        if ["mailto", "tel"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Some(Self::Contact);
        }
        Self::of_text(&anchor.text).or_else(|| Self::of_address(href))
    }

    fn of_text(text: &str) -> Option<Self> {
        let folded = fold_to_ascii(text);
        let parts = folded.split(|ch: char| !ch.is_alphanumeric() && ch != '\'');
        let words: Vec<&str> = parts.filter(|part| !part.is_empty()).take(MAX_WORDS + 1).collect();
        if words.len() <= MAX_WORDS { Self::of_words(&words) } else { None }
    }

    fn of_address(href: &str) -> Option<Self> {
        let path = href.get(..href.len().min(MAX_ADDRESS_BYTES))?.split(['?', '#']).next()?;
        let last = path.trim_end_matches('/').rsplit('/').next()?;
        let name = fold_to_ascii(last.split('.').next()?);
        let words: Vec<&str> =
            name.split(['-', '_']).filter(|word| !word.is_empty()).take(MAX_WORDS + 1).collect();
        if words.len() < MAX_WORDS { Self::of_words(&words) } else { None }
    }

    fn of_words(words: &[&str]) -> Option<Self> {
        let first = *words.first()?;
        let is_about = first == "about" && words.len() <= 3 || words == ["our", "story"];
        let is_who = words == ["who", "we", "are"] || words == ["biz", "kimiz"];
        let is_about_tr =
            first.starts_with("hakkimizda") || words == ["hakkinda"] || words == ["kurumsal"];
        if is_about || is_who || is_about_tr {
            return Some(Self::About);
        }
        let reach = [["bize", "ulasin"], ["bize", "yazin"], ["get", "in"]];
        if reach.iter().any(|phrase| words.starts_with(phrase)) {
            return Some(Self::Contact);
        }
        words.iter().find_map(|word| {
            let found = STEMS.iter().find(|(stem, _)| is_form(word, stem));
            found.map(|(_, policy)| *policy)
        })
    }
}

/// Whether a word is another one, or one of its forms: an English plural or a Turkish suffix.
fn is_form(word: &str, stem: &str) -> bool {
    let rest = word.strip_prefix(stem);
    rest.is_some_and(|rest| rest.is_empty() || FORMS.contains(&rest))
}

/// Ends of words, without marks.
const FORMS: [&str; 17] = [
    "s", "si", "i", "im", "ler", "leri", "lar", "lari", "mesi", "niz", "miz", "imiz", "un", "in",
    "siz", "e", "ed",
];

/// Words that name a policy, without marks.
const STEMS: [(&str, Policy); 33] = [
    ("contact", Policy::Contact),
    ("iletisim", Policy::Contact),
    ("return", Policy::Returns),
    ("refund", Policy::Returns),
    ("exchange", Policy::Returns),
    ("iade", Policy::Returns),
    ("cayma", Policy::Returns),
    ("shipping", Policy::Shipping),
    ("shipment", Policy::Shipping),
    ("delivery", Policy::Shipping),
    ("deliverie", Policy::Shipping),
    ("kargo", Policy::Shipping),
    ("teslimat", Policy::Shipping),
    ("gonderim", Policy::Shipping),
    ("warranty", Policy::Warranty),
    ("warrantie", Policy::Warranty),
    ("guarantee", Policy::Warranty),
    ("garanti", Policy::Warranty),
    ("privacy", Policy::Privacy),
    ("gizlilik", Policy::Privacy),
    ("gizliligi", Policy::Privacy),
    ("kvkk", Policy::Privacy),
    ("term", Policy::Terms),
    ("conditions", Policy::Terms),
    ("tos", Policy::Terms),
    ("imprint", Policy::Contact),
    ("kosul", Policy::Terms),
    ("kosullar", Policy::Terms),
    ("sart", Policy::Terms),
    ("sartlar", Policy::Terms),
    ("sozlesme", Policy::Terms),
    ("sozlesmesi", Policy::Terms),
    ("sozlesmeler", Policy::Terms),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, href: &str) -> Option<Policy> {
        let anchor = Anchor { text: text.into(), href: href.into(), ..Anchor::default() };
        Policy::of(&anchor)
    }

    #[test]
    fn links_are_told_by_their_text_and_by_their_path() {
        for (text, href, policy) in [
            ("Contact us", "/x", Some(Policy::Contact)),
            ("Get in touch", "/x", Some(Policy::Contact)),
            ("", "mailto:a@example.com", Some(Policy::Contact)),
            ("İLETİŞİM", "/x", Some(Policy::Contact)),
            ("Bize Ulaşın", "/x", Some(Policy::Contact)),
            ("About", "/x", Some(Policy::About)),
            ("Hakkımızda", "/x", Some(Policy::About)),
            ("Who we are", "/x", Some(Policy::About)),
            ("Return policy", "/x", Some(Policy::Returns)),
            ("İade ve değişim", "/x", Some(Policy::Returns)),
            ("Shipping & Delivery", "/x", Some(Policy::Shipping)),
            ("Kargo bilgileri", "/x", Some(Policy::Shipping)),
            ("Garanti şartları", "/x", Some(Policy::Warranty)),
            ("Privacy Policy", "/x", Some(Policy::Privacy)),
            ("Gizlilik Politikası", "/x", Some(Policy::Privacy)),
            ("KVKK Aydınlatma Metni", "/x", Some(Policy::Privacy)),
            ("Terms of service", "/x", Some(Policy::Terms)),
            ("Kullanım Koşulları", "/x", Some(Policy::Terms)),
            ("Mesafeli Satış Sözleşmesi", "/x", Some(Policy::Terms)),
            ("↗", "/legal/privacy-policy.html?x=1", Some(Policy::Privacy)),
            ("", "https://example.com/tr/iletisim/", Some(Policy::Contact)),
            ("About the war in the mountains", "/x", None),
            ("He was contacted by many people in the long war", "/x", None),
            ("Terminal", "/x", None),
            ("Kargocular yürüdü", "/news/1", None),
            ("Garantör", "/x", None),
            ("Products", "/products", None),
            ("", "", None),
        ] {
            assert_eq!(of(text, href), policy, "{text} {href}");
        }
    }
}
