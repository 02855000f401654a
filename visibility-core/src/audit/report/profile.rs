//! The profile of a page as results and reports have it.

use crate::audit::profile::{
    LikelyProfile, MIN_CHARS, ProfileBasis, ProfileDecision, ProfileReason,
};
use crate::audit::result::{AuditProfileResult, LikelyProfileResult, StatedProfile};
use crate::text::locale::{Catalog, Values};

/// Reasons that are said for each of two profiles.
const MAX_REASONS_OF_A_SIDE: usize = 2;

impl ProfileDecision {
    /// The decision in the language of a catalog.
    pub(crate) fn result(&self, catalog: &Catalog) -> AuditProfileResult {
        let certain = self.profiles.certain();
        let likeliest: Vec<LikelyProfileResult> =
            self.likeliest().iter().map(|likely| likely.result(catalog)).collect();
        AuditProfileResult {
            id: StatedProfile::from(certain),
            label: match (certain, likeliest.as_slice()) {
                (Some(profile), _) => catalog.text(&["profiles", profile.as_str()]),
                (None, [first, second]) => {
                    let word = |one: &LikelyProfileResult| {
                        catalog.text(&["profile_words", one.id.as_str()])
                    };
                    let values = [("first", word(first)), ("second", word(second))];
                    catalog.fill(&["profile_basis", "either"], &Values::from(values))
                }
                (None, _) => catalog.text(&["profiles", "unknown"]),
            },
            reason: self.reason(&likeliest, catalog),
            likeliest,
            chosen: self.basis == ProfileBasis::Chosen,
        }
    }

    /// How likely the likeliest profile is, in hundredths.
    pub(crate) fn confidence(&self) -> Option<f64> {
        self.likeliest().first().map(LikelyProfile::rounded)
    }

    fn likeliest(&self) -> &[LikelyProfile] {
        match &self.basis {
            ProfileBasis::Model(likeliest) => likeliest,
            ProfileBasis::Chosen | ProfileBasis::Markup(_) | ProfileBasis::TooLittleText => &[],
        }
    }

    fn reason(&self, likeliest: &[LikelyProfileResult], catalog: &Catalog) -> String {
        match &self.basis {
            ProfileBasis::Chosen => catalog.text(&["profile_basis", "chosen"]),
            ProfileBasis::Markup(reason) => reason.text(catalog),
            ProfileBasis::TooLittleText => catalog.fill(
                &["profile_basis", "too-little-text"],
                &Values::from([("chars", MIN_CHARS.to_string())]),
            ),
            ProfileBasis::Model(_) => match likeliest {
                [first, _] if self.profiles.certain().is_some() => first.reasons.join(" "),
                both => {
                    let sides = both.iter().filter(|one| !one.reasons.is_empty());
                    sides.map(|one| side(one, catalog)).collect::<Vec<_>>().join(" ")
                }
            },
        }
    }
}

/// One of two profiles, with what speaks most for it.
fn side(likely: &LikelyProfileResult, catalog: &Catalog) -> String {
    let reasons: Vec<&str> =
        likely.reasons.iter().take(MAX_REASONS_OF_A_SIDE).map(String::as_str).collect();
    let values = [("label", likely.label.clone()), ("reasons", reasons.join(" "))];
    catalog.fill(&["profile_basis", "side"], &Values::from(values))
}

impl LikelyProfile {
    fn result(&self, catalog: &Catalog) -> LikelyProfileResult {
        LikelyProfileResult {
            id: self.profile,
            label: catalog.text(&["profiles", self.profile.as_str()]),
            probability: self.rounded(),
            reasons: self.reasons.iter().map(|reason| reason.text(catalog)).collect(),
        }
    }

    /// The probability in hundredths, never rounded up to certainty.
    fn rounded(&self) -> f64 {
        (self.probability * 100.0).floor() / 100.0
    }
}

impl ProfileReason {
    fn text(&self, catalog: &Catalog) -> String {
        let values = Values::from([("value", self.value.clone())]);
        catalog.fill(&["profile_reasons", self.sentence], &values)
    }
}
