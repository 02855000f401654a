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
        let parts = folded.split(|ch: char| !ch.is_alphanumeric());
        let words: Vec<&str> = parts.filter(|part| !part.is_empty()).take(MAX_WORDS + 1).collect();
        let found = if words.len() <= MAX_WORDS { Self::of_words(&words) } else { None };
        found.or_else(|| Self::of_ideographs(text.trim()))
    }

    /// Chinese and Japanese have no spaces between words.
    fn of_ideographs(text: &str) -> Option<Self> {
        if text.is_ascii() || text.chars().nth(MAX_IDEOGRAPHS).is_some() {
            return None;
        }
        let mut known = IDEOGRAPHS.iter();
        known.find(|(name, _)| text.contains(name)).map(|(_, policy)| *policy)
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
        let has = |phrase: &str| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            words.windows(phrase.len()).any(|window| window == phrase)
        };
        if let Some((_, policy)) = PHRASES.iter().find(|(phrase, _)| has(phrase)) {
            return Some(*policy);
        }
        let of_word = |word: &&str| {
            let stem = STEMS.iter().find(|(stem, _)| is_form(word, stem));
            let name =
                || NAMES.iter().find(|(names, _)| names.split(' ').any(|name| name == *word));
            stem.map(|(_, policy)| *policy).or_else(|| name().map(|(_, policy)| *policy))
        };
        words.iter().find_map(of_word).or_else(|| are_terms(words).then_some(Self::Terms))
    }
}

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
        let is_known = |word: &&str| *word == "conditions" || OF.contains(word);
        words == ["conditions"]
            || words.starts_with(&["conditions", "of"]) && words.iter().all(is_known)
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
const PHRASES: [(&str, Policy); 38] = [
    ("uber uns", Policy::About),
    ("ueber uns", Policy::About),
    ("qui sommes nous", Policy::About),
    ("a propos", Policy::About),
    ("à propos", Policy::About),
    ("quienes somos", Policy::About),
    ("quiénes somos", Policy::About),
    ("sobre nosotros", Policy::About),
    ("acerca de", Policy::About),
    ("chi siamo", Policy::About),
    ("quem somos", Policy::About),
    ("sobre nós", Policy::About),
    ("sobre nos", Policy::About),
    ("over ons", Policy::About),
    ("o nas", Policy::About),
    ("mentions legales", Policy::Contact),
    ("mentions légales", Policy::Contact),
    ("fale conosco", Policy::Contact),
    ("données personnelles", Policy::Privacy),
    ("donnees personnelles", Policy::Privacy),
    ("legal notice", Policy::Terms),
    ("aviso legal", Policy::Terms),
    ("note legali", Policy::Terms),
    ("terms of", Policy::Terms),
    ("terms and conditions", Policy::Terms),
    ("terms conditions", Policy::Terms),
    ("terms use", Policy::Terms),
    ("user agreement", Policy::Terms),
    ("conditions generales", Policy::Terms),
    ("conditions générales", Policy::Terms),
    ("conditions d utilisation", Policy::Terms),
    ("conditions de vente", Policy::Terms),
    ("condiciones de uso", Policy::Terms),
    ("condiciones generales", Policy::Terms),
    ("termini e condizioni", Policy::Terms),
    ("condizioni generali", Policy::Terms),
    ("condizioni di vendita", Policy::Terms),
    ("algemene voorwaarden", Policy::Terms),
];

/// Whole words that name a policy, folded, in these languages.
const NAMES: [(&str, Policy); 6] = [
    (
        "kontakt kontaktformular impressum contacto contactez contatto contatti contato contactar colophon",
        Policy::Contact,
    ),
    (
        "datenschutz datenschutzerklärung datenschutzerklarung datenschutzerklaerung datenschutzhinweise \
         dsgvo gdpr rgpd confidentialité confidentialite privacidad privacidade privacyverklaring \
         privacybeleid prywatności prywatnosci riservatezza",
        Policy::Privacy,
    ),
    (
        "agb nutzungsbedingungen geschäftsbedingungen geschaftsbedingungen geschaeftsbedingungen cgu cgv \
         términos terminos termos gebruiksvoorwaarden regulamin",
        Policy::Terms,
    ),
    (
        "ruckgabe rueckgabe widerruf widerrufsrecht widerrufsbelehrung retours devoluciones devolucion \
         devolución devolucoes devoluções retourneren zwroty resi",
        Policy::Returns,
    ),
    (
        "versand versandkosten lieferung livraison envio envios envío envíos spedizione spedizioni entrega \
         verzending levering dostawa wysylka wysyłka",
        Policy::Shipping,
    ),
    ("garantía garantia garanzia gwarancja", Policy::Warranty),
];

/// Names of pages in Chinese and Japanese.
const IDEOGRAPHS: [(&str, Policy); 21] = [
    ("お問い合わせ", Policy::Contact),
    ("お問合せ", Policy::Contact),
    ("联系我们", Policy::Contact),
    ("聯絡我們", Policy::Contact),
    ("联系方式", Policy::Contact),
    ("会社概要", Policy::About),
    ("会社情報", Policy::About),
    ("運営者情報", Policy::About),
    ("運営会社", Policy::About),
    ("关于我们", Policy::About),
    ("關於我們", Policy::About),
    ("プライバシー", Policy::Privacy),
    ("個人情報", Policy::Privacy),
    ("隐私", Policy::Privacy),
    ("隱私", Policy::Privacy),
    ("利用規約", Policy::Terms),
    ("特定商取引", Policy::Terms),
    ("服务条款", Policy::Terms),
    ("使用条款", Policy::Terms),
    ("服務條款", Policy::Terms),
    ("返品", Policy::Returns),
];

/// Words that name a policy, without marks.
const STEMS: [(&str, Policy); 31] = [
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
            ("Termin", "/x", None),
            ("Termine", "/termine", None),
            ("Eco Terms A to Z", "/eco-terms-a-to-z", None),
            ("Conditions and Treatments", "/conditions-and-treatments", None),
            ("In medical terms", "/x", None),
            ("Terms", "/x", Some(Policy::Terms)),
            ("Terms & Conditions", "/x", Some(Policy::Terms)),
            ("Website terms", "/x", Some(Policy::Terms)),
            ("Conditions of sale", "/x", Some(Policy::Terms)),
            ("Products", "/products", None),
            ("", "", None),
        ] {
            assert_eq!(of(text, href), policy, "{text} {href}");
        }
    }

    #[test]
    fn they_are_told_in_other_languages() {
        for (text, href, policy) in [
            ("Impressum", "/x", Some(Policy::Contact)),
            ("§", "/impressum/", Some(Policy::Contact)),
            ("Kontakt", "/x", Some(Policy::Contact)),
            ("Über uns", "/x", Some(Policy::About)),
            ("Datenschutzerklärung", "/x", Some(Policy::Privacy)),
            ("AGB", "/x", Some(Policy::Terms)),
            ("Mentions légales", "/x", Some(Policy::Contact)),
            ("-", "/mentions-legales", Some(Policy::Contact)),
            ("Politique de confidentialité", "/x", Some(Policy::Privacy)),
            ("Conditions générales de vente", "/x", Some(Policy::Terms)),
            ("Qui sommes-nous ?", "/x", Some(Policy::About)),
            ("Aviso legal", "/x", Some(Policy::Terms)),
            ("-", "/aviso-legal", Some(Policy::Terms)),
            ("Quiénes somos", "/x", Some(Policy::About)),
            ("Política de privacidad", "/x", Some(Policy::Privacy)),
            ("Chi siamo", "/x", Some(Policy::About)),
            ("Contatti", "/x", Some(Policy::Contact)),
            ("Política de Privacidade", "/x", Some(Policy::Privacy)),
            ("Algemene voorwaarden", "/x", Some(Policy::Terms)),
            ("Polityka prywatności", "/x", Some(Policy::Privacy)),
            ("-", "/tr/kvkk", Some(Policy::Privacy)),
            ("お問い合わせ", "/x", Some(Policy::Contact)),
            ("プライバシーポリシー", "/x", Some(Policy::Privacy)),
            ("关于我们", "/x", Some(Policy::About)),
            ("服务条款", "/x", Some(Policy::Terms)),
        ] {
            assert_eq!(of(text, href), policy, "{text} {href}");
        }
    }
}
