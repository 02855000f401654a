//! `Organization`, from what the page says.

use super::{Draft, StatedFacts, value};
use crate::audit::gap;

/// Profiles that tell an organization from others of its name.
const MIN_PROFILES: usize = 2;

pub(super) fn draft(facts: &StatedFacts) -> Draft {
    let mut draft = Draft::new("Organization", facts);
    draft.want("name", facts.site.clone());
    draft.want("url", facts.home.clone());
    draft.want("logo", value(facts.logo.as_ref()));
    // One profile alone does not tell two organizations of one name apart.
    let mut profiles = facts.profiles.clone();
    for number in profiles.len() + 1..=MIN_PROFILES {
        let (text, input) = gap::numbered("PROFILE_URL", number, facts.today);
        profiles.push(text);
        draft.inputs.push(input);
    }
    draft.may("sameAs", Some(profiles));
    draft
}
