//! Links to pages that say who is behind a site, and what it promises.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::page::Anchor;
use crate::text::fold::fold_to_ascii;

/// What a link of trust leads to.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum TrustPage {
    /// How to contact the site's owner.
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
/// Bytes of an address of which the end is looked at.
const MAX_ADDRESS_BYTES: usize = 2_048;

impl TrustPage {
    /// What a link leads to, by its text, else by the end of its path.
    pub(crate) fn from_link(anchor: &Anchor) -> Option<Self> {
        let href = anchor.href.trim();
        let scheme = href.split(':').next().unwrap_or_default();
        if ["mailto", "tel"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return Some(Self::Contact);
        }
        Self::from_text(&anchor.text).or_else(|| Self::from_address(href))
    }

    fn from_text(text: &str) -> Option<Self> {
        let folded = fold_to_ascii(text);
        let parts = folded.split(|ch: char| !ch.is_alphanumeric());
        let words: Vec<&str> = parts.filter(|part| !part.is_empty()).take(MAX_WORDS + 1).collect();
        let found = if words.len() <= MAX_WORDS { Self::from_words(&words) } else { None };
        found.or_else(|| Self::from_ideographs(text.trim()))
    }

    /// Chinese and Japanese have no spaces between words.
    fn from_ideographs(text: &str) -> Option<Self> {
        if text.is_ascii() || text.chars().nth(MAX_IDEOGRAPHS).is_some() {
            return None;
        }
        let mut known = IDEOGRAPHS.iter();
        known.find(|(name, _)| text.contains(name)).map(|(_, policy)| *policy)
    }

    fn from_address(href: &str) -> Option<Self> {
        let path = href.get(..href.len().min(MAX_ADDRESS_BYTES))?.split(['?', '#']).next()?;
        let last = path.trim_end_matches('/').rsplit('/').next()?;
        let name = fold_to_ascii(last.split('.').next()?);
        let words: Vec<&str> =
            name.split(['-', '_']).filter(|word| !word.is_empty()).take(MAX_WORDS + 1).collect();
        if words.len() < MAX_WORDS { Self::from_words(&words) } else { None }
    }

    fn from_words(words: &[&str]) -> Option<Self> {
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
        let has = |phrase: &str| {
            (0..words.len()).any(|at| words.get(at..).is_some_and(|rest| begins_with(rest, phrase)))
        };
        if let Some((_, policy)) = PHRASES.iter().find(|(phrase, _)| has(phrase)) {
            return Some(*policy);
        }
        words
            .iter()
            .find_map(|word| {
                let stem = STEMS.iter().find(|(stem, _)| is_form(word, stem));
                stem.map(|(_, policy)| *policy).or_else(|| BY_NAME.get(word).copied())
            })
            .or_else(|| are_terms(words).then_some(Self::Terms))
    }
}

/// Whether words begin with those of a phrase.
fn begins_with(words: &[&str], phrase: &str) -> bool {
    let mut rest = phrase;
    for word in words {
        let Some(behind) = rest.strip_prefix(*word) else { return false };
        if behind.is_empty() {
            return true;
        }
        let Some(next) = behind.strip_prefix(' ') else { return false };
        rest = next;
    }
    false
}

/// What each of the [`NAMES`] names.
static BY_NAME: LazyLock<HashMap<&str, TrustPage>> = LazyLock::new(|| {
    let names = NAMES.iter();
    names.flat_map(|(names, policy)| names.split_whitespace().map(|name| (name, *policy))).collect()
});

/// Whether English words name terms, and not those of a language or of an illness: `Eco terms`,
/// `Conditions and treatments`.
fn are_terms(words: &[&str]) -> bool {
    const OF: [&str; 19] = [
        "and",
        "business",
        "condition",
        "conditions",
        "full",
        "general",
        "legal",
        "of",
        "our",
        "policies",
        "sale",
        "sales",
        "service",
        "services",
        "site",
        "the",
        "use",
        "user",
        "website",
    ];
    let is_term = |word: &&str| ["term", "terms"].contains(word);
    let is_of_use = || {
        words == ["conditions"]
            || words.starts_with(&["conditions", "of"])
                && words.iter().all(|word| *word == "conditions" || OF.contains(word))
    };
    let is_any = words.iter().any(is_term);
    is_any && words.iter().all(|word| is_term(word) || OF.contains(word)) || is_of_use()
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

/// Characters of a link of Chinese or Japanese that names a page.
const MAX_IDEOGRAPHS: usize = 16;

/// Phrases that name a policy, folded: German, Spanish, French, Italian, Dutch, Polish and Portuguese.
const PHRASES: [(&str, TrustPage); 38] = [
    ("uber uns", TrustPage::About),
    ("ueber uns", TrustPage::About),
    ("qui sommes nous", TrustPage::About),
    ("a propos", TrustPage::About),
    ("à propos", TrustPage::About),
    ("quienes somos", TrustPage::About),
    ("quiénes somos", TrustPage::About),
    ("sobre nosotros", TrustPage::About),
    ("acerca de", TrustPage::About),
    ("chi siamo", TrustPage::About),
    ("quem somos", TrustPage::About),
    ("sobre nós", TrustPage::About),
    ("sobre nos", TrustPage::About),
    ("over ons", TrustPage::About),
    ("o nas", TrustPage::About),
    ("mentions legales", TrustPage::Contact),
    ("mentions légales", TrustPage::Contact),
    ("fale conosco", TrustPage::Contact),
    ("données personnelles", TrustPage::Privacy),
    ("donnees personnelles", TrustPage::Privacy),
    ("legal notice", TrustPage::Terms),
    ("aviso legal", TrustPage::Terms),
    ("note legali", TrustPage::Terms),
    ("terms of", TrustPage::Terms),
    ("terms and conditions", TrustPage::Terms),
    ("terms conditions", TrustPage::Terms),
    ("terms use", TrustPage::Terms),
    ("user agreement", TrustPage::Terms),
    ("conditions generales", TrustPage::Terms),
    ("conditions générales", TrustPage::Terms),
    ("conditions d utilisation", TrustPage::Terms),
    ("conditions de vente", TrustPage::Terms),
    ("condiciones de uso", TrustPage::Terms),
    ("condiciones generales", TrustPage::Terms),
    ("termini e condizioni", TrustPage::Terms),
    ("condizioni generali", TrustPage::Terms),
    ("condizioni di vendita", TrustPage::Terms),
    ("algemene voorwaarden", TrustPage::Terms),
];

/// Whole words that name a policy, folded, in these languages.
const NAMES: [(&str, TrustPage); 6] = [
    (
        "kontakt kontaktformular impressum contacto contactez contatto contatti contato contactar colophon",
        TrustPage::Contact,
    ),
    (
        "datenschutz datenschutzerklärung datenschutzerklarung datenschutzerklaerung datenschutzhinweise \
         dsgvo gdpr rgpd confidentialité confidentialite privacidad privacidade privacyverklaring \
         privacybeleid prywatności prywatnosci riservatezza",
        TrustPage::Privacy,
    ),
    (
        "agb nutzungsbedingungen geschäftsbedingungen geschaftsbedingungen geschaeftsbedingungen cgu cgv \
         términos terminos termos gebruiksvoorwaarden regulamin",
        TrustPage::Terms,
    ),
    (
        "ruckgabe rueckgabe widerruf widerrufsrecht widerrufsbelehrung retours devoluciones devolucion \
         devolución devolucoes devoluções retourneren zwroty resi",
        TrustPage::Returns,
    ),
    (
        "versand versandkosten lieferung livraison envio envios envío envíos spedizione spedizioni entrega \
         verzending levering dostawa wysylka wysyłka",
        TrustPage::Shipping,
    ),
    ("garantía garantia garanzia gwarancja", TrustPage::Warranty),
];

/// Names of pages in Chinese and Japanese.
const IDEOGRAPHS: [(&str, TrustPage); 21] = [
    ("お問い合わせ", TrustPage::Contact),
    ("お問合せ", TrustPage::Contact),
    ("联系我们", TrustPage::Contact),
    ("聯絡我們", TrustPage::Contact),
    ("联系方式", TrustPage::Contact),
    ("会社概要", TrustPage::About),
    ("会社情報", TrustPage::About),
    ("運営者情報", TrustPage::About),
    ("運営会社", TrustPage::About),
    ("关于我们", TrustPage::About),
    ("關於我們", TrustPage::About),
    ("プライバシー", TrustPage::Privacy),
    ("個人情報", TrustPage::Privacy),
    ("隐私", TrustPage::Privacy),
    ("隱私", TrustPage::Privacy),
    ("利用規約", TrustPage::Terms),
    ("特定商取引", TrustPage::Terms),
    ("服务条款", TrustPage::Terms),
    ("使用条款", TrustPage::Terms),
    ("服務條款", TrustPage::Terms),
    ("返品", TrustPage::Returns),
];

/// Words that name a policy, without marks.
const STEMS: [(&str, TrustPage); 31] = [
    ("contact", TrustPage::Contact),
    ("iletisim", TrustPage::Contact),
    ("return", TrustPage::Returns),
    ("refund", TrustPage::Returns),
    ("exchange", TrustPage::Returns),
    ("iade", TrustPage::Returns),
    ("cayma", TrustPage::Returns),
    ("shipping", TrustPage::Shipping),
    ("shipment", TrustPage::Shipping),
    ("delivery", TrustPage::Shipping),
    ("deliverie", TrustPage::Shipping),
    ("kargo", TrustPage::Shipping),
    ("teslimat", TrustPage::Shipping),
    ("gonderim", TrustPage::Shipping),
    ("warranty", TrustPage::Warranty),
    ("warrantie", TrustPage::Warranty),
    ("guarantee", TrustPage::Warranty),
    ("garanti", TrustPage::Warranty),
    ("privacy", TrustPage::Privacy),
    ("gizlilik", TrustPage::Privacy),
    ("gizliligi", TrustPage::Privacy),
    ("kvkk", TrustPage::Privacy),
    ("tos", TrustPage::Terms),
    ("imprint", TrustPage::Contact),
    ("kosul", TrustPage::Terms),
    ("kosullar", TrustPage::Terms),
    ("sart", TrustPage::Terms),
    ("sartlar", TrustPage::Terms),
    ("sozlesme", TrustPage::Terms),
    ("sozlesmesi", TrustPage::Terms),
    ("sozlesmeler", TrustPage::Terms),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn policy_of(text: &str, href: &str) -> Option<TrustPage> {
        let anchor = Anchor { text: text.into(), href: href.into(), ..Anchor::default() };
        TrustPage::from_link(&anchor)
    }

    #[test]
    fn links_are_recognized_by_their_text_and_by_their_path() {
        for (text, href, policy) in [
            ("Contact us", "/x", Some(TrustPage::Contact)),
            ("Get in touch", "/x", Some(TrustPage::Contact)),
            ("", "mailto:a@example.com", Some(TrustPage::Contact)),
            ("İLETİŞİM", "/x", Some(TrustPage::Contact)),
            ("Bize Ulaşın", "/x", Some(TrustPage::Contact)),
            ("About", "/x", Some(TrustPage::About)),
            ("Hakkımızda", "/x", Some(TrustPage::About)),
            ("Who we are", "/x", Some(TrustPage::About)),
            ("Return policy", "/x", Some(TrustPage::Returns)),
            ("İade ve değişim", "/x", Some(TrustPage::Returns)),
            ("Shipping & Delivery", "/x", Some(TrustPage::Shipping)),
            ("Kargo bilgileri", "/x", Some(TrustPage::Shipping)),
            ("Garanti şartları", "/x", Some(TrustPage::Warranty)),
            ("Privacy Policy", "/x", Some(TrustPage::Privacy)),
            ("Gizlilik Politikası", "/x", Some(TrustPage::Privacy)),
            ("KVKK Aydınlatma Metni", "/x", Some(TrustPage::Privacy)),
            ("Terms of service", "/x", Some(TrustPage::Terms)),
            ("Kullanım Koşulları", "/x", Some(TrustPage::Terms)),
            ("Mesafeli Satış Sözleşmesi", "/x", Some(TrustPage::Terms)),
            ("↗", "/legal/privacy-policy.html?x=1", Some(TrustPage::Privacy)),
            ("", "https://example.com/tr/iletisim/", Some(TrustPage::Contact)),
            ("About the war in the mountains", "/x", None),
            ("He was contacted by many people in the long war", "/x", None),
            ("Terminal", "/x", None),
            ("Kargocular yürüdü", "/news/1", None),
            ("Garantör", "/x", None),
            ("Termin", "/x", None),
            ("Termine", "/termine", None),
            ("Eco Terms A to Z", "/eco-terms-a-to-z", None),
            ("Conditions and Treatments", "/conditions-and-treatments", None),
            ("In medical terms", "/x", None),
            ("Terms", "/x", Some(TrustPage::Terms)),
            ("Terms & Conditions", "/x", Some(TrustPage::Terms)),
            ("Website terms", "/x", Some(TrustPage::Terms)),
            ("Conditions of sale", "/x", Some(TrustPage::Terms)),
            ("Products", "/products", None),
            ("", "", None),
        ] {
            assert_eq!(policy_of(text, href), policy, "{text} {href}");
        }
    }

    #[test]
    fn links_are_recognized_in_other_languages() {
        for (text, href, policy) in [
            ("Impressum", "/x", Some(TrustPage::Contact)),
            ("§", "/impressum/", Some(TrustPage::Contact)),
            ("Kontakt", "/x", Some(TrustPage::Contact)),
            ("Über uns", "/x", Some(TrustPage::About)),
            ("Datenschutzerklärung", "/x", Some(TrustPage::Privacy)),
            ("AGB", "/x", Some(TrustPage::Terms)),
            ("Mentions légales", "/x", Some(TrustPage::Contact)),
            ("-", "/mentions-legales", Some(TrustPage::Contact)),
            ("Politique de confidentialité", "/x", Some(TrustPage::Privacy)),
            ("Conditions générales de vente", "/x", Some(TrustPage::Terms)),
            ("Qui sommes-nous ?", "/x", Some(TrustPage::About)),
            ("Aviso legal", "/x", Some(TrustPage::Terms)),
            ("-", "/aviso-legal", Some(TrustPage::Terms)),
            ("Quiénes somos", "/x", Some(TrustPage::About)),
            ("Política de privacidad", "/x", Some(TrustPage::Privacy)),
            ("Chi siamo", "/x", Some(TrustPage::About)),
            ("Contatti", "/x", Some(TrustPage::Contact)),
            ("Política de Privacidade", "/x", Some(TrustPage::Privacy)),
            ("Algemene voorwaarden", "/x", Some(TrustPage::Terms)),
            ("Polityka prywatności", "/x", Some(TrustPage::Privacy)),
            ("-", "/tr/kvkk", Some(TrustPage::Privacy)),
            ("お問い合わせ", "/x", Some(TrustPage::Contact)),
            ("プライバシーポリシー", "/x", Some(TrustPage::Privacy)),
            ("关于我们", "/x", Some(TrustPage::About)),
            ("服务条款", "/x", Some(TrustPage::Terms)),
        ] {
            assert_eq!(policy_of(text, href), policy, "{text} {href}");
        }
    }
}
