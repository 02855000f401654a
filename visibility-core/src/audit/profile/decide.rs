//! Decides the profile of a page: a user does, else the model, where it is certain. Where there is too little to read
//! for the model, the markup does.

use crate::audit::profile::features::{FEATURES, Facts};
use crate::audit::profile::model::{Judgment, KINDS, Model};
use crate::audit::profile::{FeatureValue, PossibleProfiles, Profile};

/// Characters of text, navigation left out, below which the model says nothing: about 60 words.
pub const MIN_CHARS: u32 = 360;

/// The probability from which on a profile is stated; `docs/audit.md` has the table that it comes from.
pub const STATED_FROM: f64 = 0.85;
/// How far from it a probability may be that a pasted text can move across: a date in text moved one by 0.03.
const NEAR: f64 = 0.05;

/// Reasons that are given for a profile.
const MAX_REASONS: usize = 3;

/// What a page is judged as, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileDecision {
    /// The profiles that the page may have.
    pub profiles: PossibleProfiles,
    /// What decided.
    pub basis: ProfileBasis,
}

/// What decided on the profile of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileBasis {
    /// A user.
    Chosen,
    /// The markup, since the page has too little text.
    Markup(ProfileReason),
    /// Nothing: the page has too little text.
    TooLittleText,
    /// The model; the two likeliest profiles, the likelier one first.
    Model([LikelyProfile; 2]),
}

/// A profile that a page is likely to have.
#[derive(Clone, Debug, PartialEq)]
pub struct LikelyProfile {
    /// The profile.
    pub profile: Profile,
    /// How likely it is, from 0 to 1.
    pub probability: f64,
    /// What speaks for it and against the other one, the strongest reason first.
    pub reasons: Vec<ProfileReason>,
}

/// Something that speaks for a profile.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ProfileReason {
    /// Its sentence, in `locales/` under `profile_reasons`.
    pub sentence: &'static str,
    /// The value that the sentence shows, if it shows one.
    pub value: String,
}

impl ProfileDecision {
    /// The profile that a user chose.
    pub fn chosen(profile: Profile) -> Self {
        Self { profiles: PossibleProfiles::One(profile), basis: ProfileBasis::Chosen }
    }

    /// The other decision that is so near that a small change of the page may lead to it.
    pub fn near(&self) -> Option<Self> {
        let ProfileBasis::Model([first, second]) = &self.basis else { return None };
        let is_near = (first.probability - STATED_FROM).abs() < NEAR;
        let profiles = match self.profiles {
            PossibleProfiles::One(_) => PossibleProfiles::Two([first.profile, second.profile]),
            _ => PossibleProfiles::One(first.profile),
        };
        is_near.then(|| Self { profiles, basis: self.basis.clone() })
    }

    /// What the markup says of a page.
    fn from_markup(facts: &Facts<'_>) -> Self {
        match facts.stated() {
            Some((profile, sentence)) => Self {
                profiles: PossibleProfiles::One(profile),
                basis: ProfileBasis::Markup(ProfileReason { sentence, value: "1".to_owned() }),
            },
            None => Self { profiles: PossibleProfiles::Any, basis: ProfileBasis::TooLittleText },
        }
    }

    /// What the model says of a page.
    pub fn detect(facts: &Facts<'_>) -> Self {
        if facts.chars() < MIN_CHARS {
            return Self::from_markup(facts);
        }
        let values = facts.values();
        let numbers: Vec<f64> = values.iter().map(|value| value.number).collect();
        let judgment = Model::embedded().judge(&numbers);
        let [first, second] = likeliest(&judgment);
        let profiles = if first.1 >= STATED_FROM {
            PossibleProfiles::One(first.0)
        } else {
            PossibleProfiles::Two([first.0, second.0])
        };
        let likely = |(profile, probability), (other, _)| LikelyProfile {
            profile,
            probability,
            reasons: reasons(&judgment, &values, profile, other),
        };
        let likeliest = [likely(first, second), likely(second, first)];
        Self { profiles, basis: ProfileBasis::Model(likeliest) }
    }
}

fn likeliest(judgment: &Judgment) -> [(Profile, f64); 2] {
    let mut all: Vec<(Profile, f64)> = KINDS.into_iter().zip(judgment.probabilities).collect();
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    let at = |at: usize| all.get(at).copied().unwrap_or((Profile::Landing, 0.0));
    [at(0), at(1)]
}

/// What adds most to one profile and not to the other. What a page does not have is no reason.
fn reasons(
    judgment: &Judgment,
    values: &[FeatureValue],
    profile: Profile,
    other: Profile,
) -> Vec<ProfileReason> {
    let mut by_sentence: Vec<(&'static str, f64)> = Vec::new();
    for ((feature, value), added) in FEATURES.iter().zip(values).zip(&judgment.contributions) {
        if value.number <= 0.0 {
            continue;
        }
        let to = |profile: Profile| added.get(profile as usize).copied().unwrap_or_default();
        let gained = to(profile) - to(other);
        match by_sentence.iter_mut().find(|(known, _)| *known == feature.sentence) {
            Some((_, sum)) => *sum += gained,
            None => by_sentence.push((feature.sentence, gained)),
        }
    }
    by_sentence.retain(|(_, gained)| *gained > 0.0);
    by_sentence.sort_by(|one, other| other.1.total_cmp(&one.1));
    let reason = |(sentence, _)| {
        let own = FEATURES.iter().zip(values).find(|(feature, _)| feature.id == sentence);
        let value = own.map(|(_, value)| value.text()).unwrap_or_default();
        ProfileReason { sentence, value }
    };
    by_sentence.into_iter().take(MAX_REASONS).map(reason).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;
    use crate::text::locale::{Catalog, Lang, Values};

    fn decision(html: &str) -> ProfileDecision {
        fixture(html).audited().decision
    }

    #[test]
    fn a_page_with_next_to_no_text_is_of_no_kind() {
        let page = decision(&format!("<h1>Lamp</h1><p>{}", "word ".repeat(40)));
        assert_eq!(
            (page.profiles, page.basis),
            (PossibleProfiles::Any, ProfileBasis::TooLittleText)
        );
    }

    #[test]
    fn what_has_next_to_no_text_is_what_its_markup_states() {
        let profile = |json: &str| {
            let page =
                decision(&format!("<script type=application/ld+json>{json}</script><h1>A</h1>"));
            page.profiles.certain()
        };
        let listed = r#"{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":
            {"@type":"Product","name":"a"}}]}"#;
        for (json, expected) in [
            (r#"{"@type":"Product","name":"a"}"#, Some(Profile::Product)),
            (r#"{"@type":"NewsArticle","headline":"a"}"#, Some(Profile::Article)),
            (r#"{"@type":"DiscussionForumPosting","headline":"a"}"#, Some(Profile::Forum)),
            (listed, Some(Profile::Collection)),
            (r#"[{"@type":"Product","name":"a"},{"@type":"Product","name":"b"}]"#, None),
            (r#"[{"@type":"Product","name":"a"},{"@type":"Article","headline":"b"}]"#, None),
            (r#"{"@type":"WebSite","name":"a"}"#, None),
        ] {
            assert_eq!(profile(json), expected, "{json}");
        }
    }

    #[test]
    fn a_user_decides_against_all_signs() {
        let snapshot = fixture("<h1>Lamp</h1>").with_profile(Profile::Article);
        assert_eq!(snapshot.audited().decision, ProfileDecision::chosen(Profile::Article));
    }

    #[test]
    fn a_certain_page_says_why_and_what_else_it_may_be() {
        let paragraph = format!("<p>{}</p>", "a word of a long text ".repeat(12));
        let head = "<title>How the old bridge of the town was moved twice</title>\
                    <meta property=og:type content=article><meta name=author content=Ada>\
                    <meta property=article:published_time content=2026-01-01>";
        let page = decision(&format!("{head}<article><h1>How</h1>{}", paragraph.repeat(9)));
        assert_eq!(page.profiles, PossibleProfiles::One(Profile::Article));
        let ProfileBasis::Model([first, second]) = page.basis else { panic!("{:?}", page.basis) };
        assert_eq!(first.profile, Profile::Article);
        assert!(first.probability >= STATED_FROM && second.probability < first.probability);
        let sentences: Vec<&str> = first.reasons.iter().map(|reason| reason.sentence).collect();
        assert_eq!(sentences.len(), MAX_REASONS, "{sentences:?}");
        assert!(sentences.contains(&"signs_of_article"), "{sentences:?}");
    }

    #[test]
    fn an_uncertain_page_may_be_one_of_two_kinds() {
        let page = decision(&format!("<h1>Oak</h1><p>{}</p>", "word ".repeat(90)));
        let ProfileBasis::Model([first, second]) = page.basis else { panic!("{:?}", page.basis) };
        assert!(first.probability < STATED_FROM, "{first:?}");
        assert_eq!(page.profiles, PossibleProfiles::Two([first.profile, second.profile]));
    }

    #[test]
    fn every_feature_has_a_sentence_that_shows_its_value() {
        let html = format!("<p>{}", "word ".repeat(90));
        let snapshot = fixture(&html);
        let page = snapshot.audited();
        let facts = Facts::new(page.page(), &page.content, &page.shape, &page.markup, None);
        for lang in Lang::ALL {
            let catalog = Catalog::for_lang(lang);
            for (feature, value) in FEATURES.iter().zip(facts.values()) {
                let own = FEATURES.iter().find(|other| other.id == feature.sentence);
                assert!(own.is_some(), "{}: no such feature", feature.sentence);
                let values = Values::from([("value", "47".to_owned())]);
                let text = catalog.fill(&["profile_reasons", feature.sentence], &values);
                assert!(text.len() > 10 && !text.contains('{'), "{}: {text}", feature.id);
                if feature.id == feature.sentence && !value.text().is_empty() {
                    assert!(text.contains("47"), "{}: {text}", feature.id);
                }
            }
        }
    }
}
