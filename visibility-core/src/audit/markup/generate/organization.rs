//! `Organization`, from what the page says.

use super::{Draft, Facts};

pub(super) fn draft(facts: &Facts) -> Draft {
    let mut draft = Draft::new("Organization");
    draft.want("name", facts.site.clone());
    draft.want("url", facts.home.clone());
    draft.want("logo", facts.logo.clone());
    draft.may("sameAs", Some(facts.profiles.clone()).filter(|all| !all.is_empty()));
    // One profile alone does not tell two organizations of one name apart.
    if facts.profiles.len() < 2 {
        draft.needs.push("sameAs");
    }
    draft
}
