//! Signals of the pillar `readable`.

mod hidden_text;
mod js_dependency;
mod key_facts;
mod main_text;
mod page_weight;
mod shell;

use crate::audit::profile::Profile;
use crate::audit::signal::Signal;

/// The signals of the pillar, in the order of the rubric.
pub(super) const SIGNALS: &[&Signal] = &[
    &main_text::SIGNAL,
    &js_dependency::SIGNAL,
    &hidden_text::SIGNAL,
    &key_facts::SIGNAL,
    &page_weight::SIGNAL,
];

/// Words of main content from which on there is something to read, and from which on there is enough.
fn wanted_words(profile: Profile) -> (u32, u32) {
    match profile {
        Profile::Product => (40, 250),
        Profile::Landing | Profile::Collection => (80, 400),
        Profile::Article => (200, 800),
        Profile::Documentation => (100, 500),
        Profile::Forum | Profile::Listing => (60, 300),
    }
}
