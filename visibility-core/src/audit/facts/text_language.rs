//! Which languages a rule knows the words of, and which one a page is written in.

use crate::audit::page::AuditedPage;
use crate::audit::signal::KnownLanguages;
use crate::text::locale::Lang;
use crate::text::words::is_spaceless;

/// Characters of the content that are looked at.
const MAX_CHARS: usize = 2_000;

impl KnownLanguages {
    /// Whether the rule can be applied to a page. A short text in Latin letters that does not say its language
    /// is taken for one that it knows.
    pub(crate) fn include(self, page: &AuditedPage<'_>) -> bool {
        match self {
            Self::All => true,
            Self::Latin => is_latin(page),
            Self::Listed(codes) => match code(page) {
                Some(code) => codes.contains(&code.as_str()),
                None => is_latin(page),
            },
        }
    }
}

/// The locale in which a sentence may be proposed to a page: that of its own language, or none.
pub(crate) fn locale(page: &AuditedPage<'_>) -> Option<Lang> {
    match code(page).as_deref() {
        Some("tr") => Some(Lang::Tr),
        Some("en") => Some(Lang::En),
        None if is_latin(page) => Some(Lang::En),
        _ => None,
    }
}

/// The primary subtag of the language: that of the text, else the one that the page declares.
fn code(page: &AuditedPage<'_>) -> Option<String> {
    let declared = || {
        let lang = page.page().lang.as_ref()?.value.trim().to_ascii_lowercase();
        lang.split(['-', '_']).next().filter(|code| !code.is_empty()).map(str::to_owned)
    };
    page.language.code.map(str::to_owned).or_else(declared)
}

/// Whether most letters of the text are Latin.
fn is_latin(page: &AuditedPage<'_>) -> bool {
    let blocks = page.content.blocks.iter().flat_map(|block| block.text.chars());
    let headings = page.page().headings.iter().flat_map(|heading| heading.text.chars());
    let letters = blocks.chain(headings).take(MAX_CHARS).filter(|ch| ch.is_alphabetic());
    let (mut latin, mut others) = (0_usize, 0_usize);
    for ch in letters {
        // Letters of Latin scripts are in these blocks of Unicode.
        if matches!(ch, 'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') {
            latin += 1;
        } else {
            // A character of a script without spaces says as much as some letters.
            others += if is_spaceless(ch) { 3 } else { 1 };
        }
    }
    latin >= others
}
