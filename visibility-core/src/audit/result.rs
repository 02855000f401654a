//! The result of an audit as it is sent, in one language.

use serde::{Deserialize, Serialize};

use crate::audit::cap::AuditCap;
use crate::audit::profile::Profile;
use crate::audit::signal::{Grade, Pillar, SnippetLanguage};
use crate::audit::status::Status;
use crate::rubric::Effort;
use crate::rubric::finding::Verdict;
use crate::rubric::fix::{FixFile, Placement};
#[cfg(feature = "openapi")]
use crate::text::locale::Lang;

/// The result of an audit. Field names are stable; prose is in one language.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct AuditResult {
    /// Names the audit: `aud_` and 22 letters and digits.
    pub id: String,
    /// The address that was asked for, normalized; a `file:` address for a file.
    #[cfg_attr(feature = "openapi", schema(format = "uri"))]
    pub url: String,
    /// 0 to 100; 0 when there was no page to judge.
    #[cfg_attr(feature = "openapi", schema(maximum = 100))]
    pub gpt_visibility_score: u8,
    /// How the visit came out.
    pub status: Status,
    /// The address that answered, redirects followed; null when nothing did, and for files.
    #[cfg_attr(feature = "openapi", schema(format = "uri"))]
    pub final_url: Option<String>,
    /// Status code of the answer; null when nothing answered, and for files.
    pub http_status: Option<u16>,
    /// When the audit began, RFC 3339.
    #[cfg_attr(feature = "openapi", schema(format = DateTime))]
    pub created_at: String,
    /// Version of the rules, such as `audit-2026.11`.
    pub rubric_version: String,
    /// `en` or `tr`.
    #[cfg_attr(feature = "openapi", schema(value_type = Lang))]
    pub lang: String,
    /// How the visit came out, and what to begin with, if anything is to be fixed.
    pub summary: String,
    /// `poor`, `weak`, `fair`, `good` or `excellent`; null when there was no page to judge.
    pub band: Option<String>,
    /// The band in the language of the result.
    pub band_label: Option<String>,
    /// The score before gates; null when there was no page to judge.
    pub raw_score: Option<u8>,
    /// Share of the weight of the signals that concern the page which could be read, 0 to 1.
    pub coverage: f64,
    /// Rank of the score within a corpus; null when there was no page to judge.
    pub percentile: Option<PercentileResult>,
    /// What kind of page it is; null when there was no page to judge.
    pub profile: Option<AuditProfileResult>,
    /// How likely the page is of the likeliest kind, 0 to 1; null when a user chose the kind, when the page has too
    /// little text and when there was no page to judge.
    pub profile_confidence: Option<f64>,
    /// Points by pillar.
    pub pillars: Vec<PillarResult>,
    /// What caps the score, hardest first.
    pub gates: Vec<GateResult>,
    /// The 35 signals; none when there was no page to judge.
    pub signals: Vec<AuditSignalResult>,
    /// What to fix, best value first.
    pub fixes: Vec<AuditFixResult>,
    /// What was seen and is never scored.
    pub information: Vec<InformationResult>,
    /// What an engine reads of the page, in numbers; null when there was no page to judge.
    pub page: Option<PageResult>,
    /// What such a score cannot say, in one sentence.
    pub disclaimer: String,
}

/// Rank of a score within a corpus.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PercentileResult {
    /// Share of the pages of the same kind with a lower score, in percent.
    #[cfg_attr(feature = "openapi", schema(maximum = 100))]
    pub value: u8,
    /// The corpus.
    pub corpus: String,
    /// Always true: between 11 points that these rules measured on that corpus there are lines.
    pub interpolated: bool,
    /// Where the points come from.
    pub note: String,
}

/// What kind of page it is, and why.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct AuditProfileResult {
    /// The kind; `unknown` when it is not certain.
    pub id: StatedProfile,
    /// Its name; of an uncertain one, the kinds that it may be.
    pub label: String,
    /// What decided, in sentences.
    pub reason: String,
    /// The two likeliest kinds, the likelier one first; none when a user chose the kind or the page has too little
    /// text.
    pub likeliest: Vec<LikelyProfileResult>,
    /// Whether a user chose it.
    pub chosen: bool,
}

/// A kind that a page is likely to be.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct LikelyProfileResult {
    /// The kind.
    pub id: Profile,
    /// Its name.
    pub label: String,
    /// How likely it is, 0 to 1.
    pub probability: f64,
    /// What speaks for it and against the other one: at most three sentences, the strongest reason first.
    pub reasons: Vec<String>,
}

/// A kind of page as it is stated.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum StatedProfile {
    /// One thing to buy.
    Product,
    /// Many things to buy, to choose from.
    Collection,
    /// Something to read.
    Article,
    /// What is offered, and everything else.
    Landing,
    /// What explains how something works.
    Documentation,
    /// What people say to each other.
    Forum,
    /// Links to pages of other kinds.
    Listing,
    /// Not certain.
    Unknown,
}

impl StatedProfile {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        self.certain().map_or("unknown", Profile::as_str)
    }

    /// The profile, if it is certain.
    pub fn certain(self) -> Option<Profile> {
        match self {
            Self::Product => Some(Profile::Product),
            Self::Collection => Some(Profile::Collection),
            Self::Article => Some(Profile::Article),
            Self::Landing => Some(Profile::Landing),
            Self::Documentation => Some(Profile::Documentation),
            Self::Forum => Some(Profile::Forum),
            Self::Listing => Some(Profile::Listing),
            Self::Unknown => None,
        }
    }
}

impl From<Option<Profile>> for StatedProfile {
    fn from(certain: Option<Profile>) -> Self {
        match certain {
            Some(Profile::Product) => Self::Product,
            Some(Profile::Collection) => Self::Collection,
            Some(Profile::Article) => Self::Article,
            Some(Profile::Landing) => Self::Landing,
            Some(Profile::Documentation) => Self::Documentation,
            Some(Profile::Forum) => Self::Forum,
            Some(Profile::Listing) => Self::Listing,
            None => Self::Unknown,
        }
    }
}

/// The points of one pillar.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PillarResult {
    /// The pillar.
    pub id: Pillar,
    /// Its name.
    pub title: String,
    /// Sum of the weights of its signals for this kind of page.
    pub weight: f64,
    /// Points earned.
    pub points: f64,
    /// Points that could be earned here.
    pub max_points: f64,
}

/// Something that caps the score.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct GateResult {
    /// The gate.
    pub id: AuditCap,
    /// The highest score that remains possible.
    #[cfg_attr(feature = "openapi", schema(maximum = 100))]
    pub limit: u8,
    /// Id of the signal that closed it.
    pub signal: String,
    /// Why.
    pub text: String,
}

/// One signal.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct AuditSignalResult {
    /// Stable id such as `answer-bot-access`.
    pub id: String,
    /// Short code such as `AC01`.
    pub code: String,
    /// Its pillar.
    pub pillar: Pillar,
    /// Its name.
    pub title: String,
    /// The verdict.
    pub status: Verdict,
    /// How good the evidence is that it matters.
    pub grade: Grade,
    /// Points of 100 for this kind of page.
    pub weight: f64,
    /// Share of the points, 0 to 1; null when the signal does not count here.
    pub credit: Option<f64>,
    /// Points earned.
    pub points: f64,
    /// Points that could be earned: the weight, or 0 when the signal does not count.
    pub max_points: f64,
    /// Points that the score would gain if this signal earned everything, found by scoring again.
    pub points_if_fixed: u8,
    /// Why it matters.
    pub why: String,
    /// What was found, in a sentence.
    pub summary: String,
    /// What else was seen, in sentences.
    pub details: Vec<AuditDetailResult>,
    /// The places that decided.
    pub evidence: Vec<AuditEvidenceResult>,
    /// The documents behind it.
    pub sources: Vec<SourceResult>,
}

/// One thing that a signal saw.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct AuditDetailResult {
    /// Stable id, unique within the signal.
    pub id: String,
    /// What it means.
    pub status: Verdict,
    /// What was seen.
    pub text: String,
}

/// A place that decided something.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct AuditEvidenceResult {
    /// The page's own text; untrusted.
    pub quote: Option<String>,
    /// Line of the source, counted from 1.
    pub line: Option<usize>,
    /// CSS path of the element.
    pub css: Option<String>,
    /// Where it was found: the page, robots.txt, the sitemap.
    pub url: String,
    /// A technical remark; never translated.
    pub note: Option<String>,
}

/// A document behind a signal.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct SourceResult {
    /// Its name.
    pub name: String,
    /// Where it stands.
    #[cfg_attr(feature = "openapi", schema(format = "uri"))]
    pub url: String,
}

/// How to fix something.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct AuditFixResult {
    /// Id of the signal.
    pub signal: String,
    /// Its short code.
    pub code: String,
    /// Its name.
    pub title: String,
    /// Points that the score would gain, found by scoring again.
    pub points: u8,
    /// Points that the score before gates would gain.
    pub raw_points: f64,
    /// Ids of other signals whose points change with it, and are counted in.
    #[serde(default)]
    pub includes: Vec<String>,
    /// The limit of the gate that it opens, if any.
    pub opens_gate: Option<u8>,
    /// How much work it usually is: `S`, `M` or `L`.
    pub effort: Effort,
    /// What to do.
    pub hint: String,
    /// Something to paste.
    pub snippet: Option<String>,
    /// The language of the snippet.
    pub language: Option<SnippetLanguage>,
    /// Where the snippet belongs.
    pub placement: Option<Placement>,
    /// The same in words.
    pub placement_label: Option<String>,
    /// What the page does not say and a person has to add.
    pub needs_input: Vec<String>,
    /// The same as files, each with its place.
    #[serde(default)]
    pub files: Vec<FixFile>,
    /// What to know before pasting: what has to exist first, or that a fix was not tried.
    #[serde(default)]
    pub note: Option<String>,
}

/// Something unscored.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct InformationResult {
    /// Stable id.
    pub id: String,
    /// What was seen.
    pub text: String,
    /// Where.
    pub evidence: Vec<AuditEvidenceResult>,
}

/// What an engine reads of the page, in numbers.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PageResult {
    /// `<title>`, as an excerpt; untrusted.
    pub title: Option<String>,
    /// `<meta name=description>`, as an excerpt; untrusted.
    #[serde(default)]
    pub description: Option<String>,
    /// Language of the text, if it could be detected.
    pub language: Option<String>,
    /// Bytes of the decoded HTML.
    pub html_bytes: usize,
    /// Words of the main content.
    pub main_words: usize,
    /// Words of the whole body.
    pub body_words: usize,
    /// Tokens of the HTML, estimated.
    pub html_tokens: usize,
    /// Tokens of the main content, estimated.
    pub main_tokens: usize,
    /// Tokens of the HTML before the main content begins, estimated.
    pub tokens_before_main: usize,
    /// The beginning of what an engine reads, as Markdown; untrusted.
    #[serde(default)]
    pub read: String,
    /// The largest parts that are left out of it, in order; at most 20.
    #[serde(default)]
    pub dropped: Vec<DroppedResult>,
}

/// A part of the page that is no main content.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct DroppedResult {
    /// Why: an element such as `nav`, a role, a word of a class or id such as `name-sidebar`, `links` for
    /// a list of links, or `outside` for what is not within the element that holds the content.
    pub rule: String,
    /// Characters of its text.
    pub chars: usize,
    /// Line, counted from 1.
    pub line: usize,
    /// CSS selector.
    pub css: String,
    /// The beginning of its text; untrusted.
    pub text: String,
}
