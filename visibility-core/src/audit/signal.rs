//! The definition of a signal: an id, a place in the rubric, its outcomes, and the function that evaluates it.

use serde::{Deserialize, Serialize};

use crate::audit::cap::AuditCap;
use crate::audit::page::AuditedPage;
use crate::audit::profile::{PossibleProfiles, Profile};
use crate::rubric::finding::{Finding, Outcome, Verdict};
use crate::rubric::fix::{FileMode, FixFile, FixInput, Placement, ReplacedText};
use crate::rubric::{Effort, Spec};
use crate::text::placeholder;

/// One signal of the rubric.
#[derive(Clone, Debug)]
pub struct Signal {
    /// Kebab-case noun phrase; the file of the signal is named after it.
    pub id: &'static str,
    /// Short code such as `AC01`.
    pub code: &'static str,
    /// The pillar it belongs to.
    pub pillar: Pillar,
    /// The points that it is worth.
    pub weights: Weights,
    /// How good the evidence is that it matters to answer engines.
    pub grade: Grade,
    /// How much work a fix usually is.
    pub effort: Effort,
    /// The languages in which it can be read.
    pub languages: KnownLanguages,
    /// All its outcomes, in the order of their sentences.
    pub outcomes: &'static [Outcome],
    /// The documents behind it; the first one is the page to read.
    pub sources: &'static [Spec],
    /// Evaluates a page. It has no other input and never panics.
    pub evaluate: fn(&AuditedPage<'_>) -> ScoredFinding,
}

/// The languages in which a rule can be applied.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum KnownLanguages {
    /// All: the rule reads no words.
    All,
    /// Those that are written in Latin letters: the rule reads numbers, units and names.
    Latin,
    /// These, whose words it knows, by their primary subtags.
    Listed(&'static [&'static str]),
}

/// Tenths of the 100 points that a signal is worth, by the profile of the page; 0 where it does not
/// concern one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Weights {
    /// Of a product.
    pub product: u32,
    /// Of a collection.
    pub collection: u32,
    /// Of an article.
    pub article: u32,
    /// Of a landing page.
    pub landing: u32,
    /// Of documentation.
    pub documentation: u32,
    /// Of a thread of a forum.
    pub forum: u32,
    /// Of a listing.
    pub listing: u32,
}

impl Weights {
    /// Tenths of a point for a page that may have several profiles: what they have in common.
    pub fn in_common(self, profiles: PossibleProfiles) -> u32 {
        let weights = profiles.as_slice().iter().map(|profile| self.for_profile(*profile));
        weights.min().unwrap_or_default()
    }

    /// Tenths of a point for a profile.
    pub fn for_profile(self, profile: Profile) -> u32 {
        match profile {
            Profile::Product => self.product,
            Profile::Collection => self.collection,
            Profile::Article => self.article,
            Profile::Landing => self.landing,
            Profile::Documentation => self.documentation,
            Profile::Forum => self.forum,
            Profile::Listing => self.listing,
        }
    }
}

/// A part of the rubric.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pillar {
    /// May answer engines fetch, index and quote it?
    Access,
    /// Is there something to read without scripts?
    Readable,
    /// Can a passage be taken out as an answer?
    Structure,
    /// Does the markup say what the page is?
    Entity,
    /// Are there facts worth quoting?
    Evidence,
    /// Who says it, and how plainly?
    Trust,
    /// Images, language, sharing.
    Media,
}

impl Pillar {
    /// All, in order.
    pub const ALL: [Self; 7] = [
        Self::Access,
        Self::Readable,
        Self::Structure,
        Self::Entity,
        Self::Evidence,
        Self::Trust,
        Self::Media,
    ];

    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Access => "access",
            Self::Readable => "readable",
            Self::Structure => "structure",
            Self::Entity => "entity",
            Self::Evidence => "evidence",
            Self::Trust => "trust",
            Self::Media => "media",
        }
    }
}

/// How good the evidence is that something matters to answer engines.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Grade {
    /// Documented by the engines.
    A,
    /// Shown by a controlled experiment.
    B,
    /// Observed, advised by an engine, or in dispute.
    C,
    /// Folklore: never scored.
    D,
}

impl Grade {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }
}

/// A share of a signal's points, in thousandths.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub struct Credit(u16);

impl Credit {
    /// No points.
    pub const NONE: Self = Self(0);
    /// All points.
    pub const FULL: Self = Self(1000);
    /// The lowest credit of a pass.
    pub const PASS: Self = Self(900);
    /// The highest credit of a fail.
    pub const FAIL: Self = Self(250);

    /// A credit in thousandths, at most 1000.
    pub const fn from_per_mille(thousandths: u16) -> Self {
        Self(if thousandths > 1000 { 1000 } else { thousandths })
    }

    /// A share between 0 and 1, rounded to thousandths; what lies outside, or is not a number, is moved
    /// to the nearer end.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the share is between 0 and 1; NaN becomes 0"
    )]
    pub fn from_share(share: f64) -> Self {
        Self((share.clamp(0.0, 1.0) * 1000.0).round() as u16)
    }

    /// Linear interpolation: none at `from`, full at `to`.
    pub fn ramp(value: f64, from: f64, to: f64) -> Self {
        Self::from_share((value - from) / (to - from))
    }

    /// Thousandths, 0 to 1000.
    pub fn per_mille(self) -> u32 {
        u32::from(self.0)
    }

    /// The share, 0 to 1.
    pub fn share(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// The credit that is missing to [`FULL`](Self::FULL).
    #[must_use]
    pub fn complement(self) -> Self {
        Self(1000 - self.0.min(1000))
    }

    /// The verdict that belongs to it: `pass` from 0.9, `fail` up to 0.25, `warn` between.
    pub fn verdict(self) -> Verdict {
        if self >= Self::PASS {
            Verdict::Pass
        } else if self <= Self::FAIL {
            Verdict::Fail
        } else {
            Verdict::Warn
        }
    }

    /// The one of `[good, fair, bad]` that belongs to the verdict.
    pub fn pick(self, outcomes: [Outcome; 3]) -> Outcome {
        let [good, fair, bad] = outcomes;
        match self.verdict() {
            Verdict::Pass => good,
            Verdict::Warn => fair,
            _ => bad,
        }
    }
}

/// What a signal found on one page.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredFinding {
    /// Share of the points; `None` when the signal does not count here.
    pub credit: Option<Credit>,
    /// What was found, and where.
    pub finding: Finding,
    /// The cap that it puts on the score.
    pub cap: Option<AuditCap>,
    /// Something to paste.
    pub fix: Option<SnippetFix>,
}

impl ScoredFinding {
    /// A finding that counts. Its verdict should be that of the credit.
    pub fn new(credit: Credit, finding: Finding) -> Self {
        Self { credit: Some(credit), finding, cap: None, fix: None }
    }

    /// A finding that does not affect the score: not applicable, or unknown.
    pub fn unscored(finding: Finding) -> Self {
        Self { credit: None, finding, cap: None, fix: None }
    }

    /// Caps the score.
    #[must_use]
    pub fn capped(mut self, cap: AuditCap) -> Self {
        self.cap = Some(cap);
        self
    }

    /// Adds something to paste.
    #[must_use]
    pub fn with_fix(mut self, fix: SnippetFix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Adds something to paste, if there is anything.
    #[must_use]
    pub fn with_fix_if_any(mut self, fix: Option<SnippetFix>) -> Self {
        self.fix = fix.or(self.fix);
        self
    }
}

/// Something to paste that improves a page, filled from its own facts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SnippetFix {
    /// The code. Not translated.
    pub snippet: String,
    /// The language of the code.
    pub language: SnippetLanguage,
    /// Where it belongs.
    pub placement: Placement,
    /// What it takes the place of, where that can be quoted.
    pub replaces: Option<ReplacedText>,
    /// Further code that belongs to it.
    pub more: Vec<SnippetPart>,
    /// Placeholders of the code: what the page does not say and a person has to add.
    pub inputs: Vec<FixInput>,
    /// What the signal earns once it is pasted; `None` if an audit of the changed page shows that.
    pub credit: Option<Credit>,
}

impl SnippetFix {
    /// A snippet for which nothing is missing.
    pub fn new(
        placement: Placement,
        language: SnippetLanguage,
        snippet: impl Into<String>,
    ) -> Self {
        Self {
            snippet: snippet.into(),
            language,
            placement,
            replaces: None,
            more: Vec::new(),
            inputs: Vec::new(),
            credit: None,
        }
    }

    /// An element of the head, in the place of the one that the page has.
    pub fn in_head(element: impl Into<String>, replaces: Option<ReplacedText>) -> Self {
        let fix = Self::new(Placement::Head, SnippetLanguage::Html, element);
        Self { replaces, ..fix }
    }

    /// Adds code for another place.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.more.extend(other.parts());
        self.with_inputs(other.inputs)
    }

    /// Names what a person has to add. What the snippet does not show is left out.
    #[must_use]
    pub fn with_inputs(mut self, inputs: impl IntoIterator<Item = FixInput>) -> Self {
        for input in inputs {
            let placeholder = placeholder::placeholder(&input.name);
            let is_shown = self.parts().any(|part| part.snippet.contains(&placeholder));
            if is_shown && !self.inputs.contains(&input) {
                self.inputs.push(input);
            }
        }
        self
    }

    /// Names the credit that it leads to, where that is not all of it.
    #[must_use]
    pub fn with_credit(mut self, credit: Credit) -> Self {
        self.credit = Some(credit);
        self
    }

    /// The placeholders, as a person sees them.
    pub fn placeholders(&self) -> Vec<String> {
        self.inputs.iter().map(|input| placeholder::placeholder(&input.name)).collect()
    }

    /// All code, the snippet first.
    pub fn parts(&self) -> impl Iterator<Item = SnippetPart> + '_ {
        let first = SnippetPart {
            snippet: self.snippet.clone(),
            language: self.language,
            placement: self.placement,
            replaces: self.replaces.clone(),
        };
        std::iter::once(first).chain(self.more.iter().cloned())
    }

    /// All code, with an example for each placeholder.
    pub(crate) fn filled(&self) -> impl Iterator<Item = SnippetPart> + '_ {
        self.parts().map(|mut part| {
            for input in &self.inputs {
                part.snippet = input.filled(&part.snippet);
            }
            part
        })
    }

    /// The code as files, or as lines for them.
    pub fn files(&self) -> Vec<FixFile> {
        self.parts().map(SnippetPart::into_file).collect()
    }
}

/// Code for one place.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SnippetPart {
    /// The code to paste.
    pub snippet: String,
    /// The language of the code.
    pub language: SnippetLanguage,
    /// Where it belongs.
    pub placement: Placement,
    /// What it takes the place of, where that can be quoted.
    pub replaces: Option<ReplacedText>,
}

impl SnippetPart {
    fn into_file(self) -> FixFile {
        let path = (self.placement == Placement::RobotsTxt).then(|| "/robots.txt".to_owned());
        let mode = match self.placement {
            Placement::InPlace | Placement::HtmlElement => FileMode::Replace,
            _ if self.replaces.is_some() => FileMode::Replace,
            _ => FileMode::Append,
        };
        FixFile {
            place: path.is_none().then_some(self.placement),
            path,
            media_type: self.language.media_type().to_owned(),
            mode,
            content: self.snippet,
            replaces: self.replaces,
        }
    }
}

/// Languages of snippets.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum SnippetLanguage {
    /// Elements.
    Html,
    /// A JSON object.
    Json,
    /// An element of a sitemap.
    Xml,
    /// Lines of robots.txt.
    Robots,
    /// Header fields.
    Http,
    /// Plain text, such as a sentence.
    Text,
}

impl SnippetLanguage {
    /// Media type of a file that holds nothing else.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Html => "text/html",
            Self::Json => "application/json",
            Self::Xml => "application/xml",
            Self::Robots | Self::Http | Self::Text => "text/plain",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_rises_from_its_first_end_to_its_second() {
        for (value, from, to, expected) in [
            (40.0, 40.0, 250.0, 0),
            (250.0, 40.0, 250.0, 1000),
            (145.0, 40.0, 250.0, 500),
            (0.0, 40.0, 250.0, 0),
            (9e9, 40.0, 250.0, 1000),
            (1.0, 1.0, 1.0, 0),
        ] {
            assert_eq!(Credit::ramp(value, from, to).per_mille(), expected, "{value}");
        }
        assert_eq!(Credit::from_share(f64::NAN), Credit::NONE);
    }

    #[test]
    fn a_verdict_follows_its_credit() {
        for (share, verdict) in [
            (1.0, Verdict::Pass),
            (0.9, Verdict::Pass),
            (0.899, Verdict::Warn),
            (0.251, Verdict::Warn),
            (0.25, Verdict::Fail),
            (0.0, Verdict::Fail),
        ] {
            assert_eq!(Credit::from_share(share).verdict(), verdict, "{share}");
        }
    }
}
