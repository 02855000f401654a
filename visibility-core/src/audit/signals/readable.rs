//! Signals of the pillar `readable`.

mod hidden_text;
mod js_dependency;
mod key_facts;
mod main_text;
mod page_weight;
mod purpose;
mod shell;

use crate::audit::page::AuditedPage;
use crate::audit::profile::{PossibleProfiles, Profile};
use crate::audit::signal::Signal;
use crate::rubric::finding::Evidence;

/// The signals of the pillar, in the order of the rubric.
pub(super) const SIGNALS: &[&Signal] = &[
    &main_text::SIGNAL,
    &js_dependency::SIGNAL,
    &hidden_text::SIGNAL,
    &key_facts::SIGNAL,
    &page_weight::SIGNAL,
];

/// Words of main content from which on there is something to read, and from which on there is enough.
fn wanted_words(profiles: PossibleProfiles) -> (u32, u32) {
    let all = match &profiles {
        // With too little text to tell, it is not the shortest kind that is wanted.
        PossibleProfiles::Any => &[Profile::Landing],
        PossibleProfiles::One(_) | PossibleProfiles::Two(_) => profiles.as_slice(),
    };
    let wanted = all.iter().map(|profile| match profile {
        Profile::Product => (40, 250),
        Profile::Landing | Profile::Collection => (80, 400),
        Profile::Article => (200, 800),
        Profile::Documentation => (100, 500),
        Profile::Forum | Profile::Listing => (60, 300),
    });
    wanted.min().unwrap_or_default()
}

/// Evidence for a text of the page: where the first part of it is.
fn quoted(page: &AuditedPage<'_>, text: &str) -> Evidence {
    let mut parts = page.document.texts().filter(|(_, part)| {
        let part = part.trim();
        !part.is_empty() && text.starts_with(part.lines().next().unwrap_or_default().trim())
    });
    match parts.next() {
        Some((node, _)) => page.evidence(text, page.document.line_of(node), node),
        None => Evidence::for_url(page.response.url.as_str()).quote(text),
    }
}
