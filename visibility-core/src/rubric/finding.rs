//! Findings: a verdict, the detections behind it, the evidence and a fix.
//!
//! Nothing here is prose: an [`Outcome`] is an id whose sentences are in `locales/`.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::fetch::{FetchError, Resource, Response};
use crate::rubric::fix::Fix;
use crate::text::excerpt::excerpt;
use crate::text::locale::{Catalog, Values};
use crate::text::note::Note;

/// How a check or one of its signals came out.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Full credit.
    Pass,
    /// Half credit.
    Warn,
    /// No credit.
    Fail,
    /// Does not concern this site; leaves the score alone.
    NotApplicable,
    /// Could not be seen; leaves the score alone and lowers confidence.
    Unknown,
}

impl Verdict {
    /// The value on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
            Self::NotApplicable => "not_applicable",
            Self::Unknown => "unknown",
        }
    }
}

/// One thing that a check can say. Its sentences are in `locales/` under the check and the id.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Outcome {
    /// Noun phrase in kebab-case, unique within its check.
    pub id: &'static str,
    /// What it means for the site.
    pub verdict: Verdict,
}

impl Outcome {
    /// An outcome that deserves full credit.
    pub const fn pass(id: &'static str) -> Self {
        Self { id, verdict: Verdict::Pass }
    }

    /// An outcome that deserves half credit.
    pub const fn warn(id: &'static str) -> Self {
        Self { id, verdict: Verdict::Warn }
    }

    /// An outcome that deserves no credit.
    pub const fn fail(id: &'static str) -> Self {
        Self { id, verdict: Verdict::Fail }
    }

    /// An outcome that says that the check does not concern the site.
    pub const fn not_applicable(id: &'static str) -> Self {
        Self { id, verdict: Verdict::NotApplicable }
    }

    /// An outcome that says that nothing could be seen.
    pub const fn unknown(id: &'static str) -> Self {
        Self { id, verdict: Verdict::Unknown }
    }

    /// The outcome as seen on a site, without values yet.
    pub fn detected(self) -> Detection {
        Detection { outcome: self, values: BTreeMap::new(), notes: BTreeMap::new() }
    }

    /// The outcome as seen on a site, with one value for its sentence.
    pub fn with(self, name: &'static str, value: impl fmt::Display) -> Detection {
        self.detected().with(name, value)
    }

    /// The outcome as seen on a site, with one value that is a sentence itself.
    pub fn with_note(self, name: &'static str, note: Note) -> Detection {
        self.detected().with_note(name, note)
    }
}

/// An outcome as seen on a site, with the values that its sentences name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Detection {
    /// What was seen.
    pub outcome: Outcome,
    /// Values for the placeholders of its sentences. Strangers' text among them is capped.
    pub values: BTreeMap<&'static str, String>,
    /// Values that are sentences themselves, by placeholder.
    pub notes: BTreeMap<&'static str, Note>,
}

impl Detection {
    /// Adds a value for a placeholder. Cut at 200 characters; control characters become spaces.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.values.insert(name, excerpt(&value.to_string()));
        self
    }

    /// Adds a value that is a sentence itself, for a placeholder.
    #[must_use]
    pub fn with_note(mut self, name: &'static str, note: Note) -> Self {
        self.notes.insert(name, note);
        self
    }

    /// The values for its sentences in the language of a catalog.
    pub fn values_in(&self, catalog: &Catalog) -> Values {
        let notes = self.notes.iter().map(|(&name, note)| (name, note.sentence(catalog)));
        self.values.clone().into_iter().chain(notes).collect()
    }
}

/// The finding of one check on one site.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Finding {
    detections: Vec<Detection>,
    evidence: Vec<Evidence>,
    fix: Option<Fix>,
}

impl Finding {
    /// A finding that this signal decided.
    pub fn new(decisive: Detection) -> Self {
        Self { detections: vec![decisive], evidence: Vec::new(), fix: None }
    }

    /// A finding that the worst of several signals decided: `fail`, then `warn`, then the rest in
    /// the order given. `None` without signals.
    pub fn from_worst(detections: Vec<Detection>) -> Option<Self> {
        let mut sorted = detections;
        sorted.sort_by_key(|detection| match detection.outcome.verdict {
            Verdict::Fail => 0,
            Verdict::Warn => 1,
            Verdict::Unknown => 2,
            Verdict::Pass => 3,
            Verdict::NotApplicable => 4,
        });
        (!sorted.is_empty()).then_some(Self { detections: sorted, evidence: Vec::new(), fix: None })
    }

    /// Adds a signal that was seen but did not decide.
    #[must_use]
    pub fn with_detection(mut self, detection: Detection) -> Self {
        self.detections.push(detection);
        self
    }

    /// Adds a signal that was seen but did not decide, if there is one.
    #[must_use]
    pub fn with_detection_if_any(mut self, detection: Option<Detection>) -> Self {
        self.detections.extend(detection);
        self
    }

    /// Adds evidence.
    #[must_use]
    pub fn with_evidence(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        self.evidence.extend(evidence);
        self
    }

    /// Sets what fixes it.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Sets what fixes it, if something does.
    #[must_use]
    pub fn with_fix_if_any(mut self, fix: Option<Fix>) -> Self {
        self.fix = fix.or(self.fix);
        self
    }

    /// The verdict of the check.
    pub fn verdict(&self) -> Verdict {
        self.detections.first().map_or(Verdict::Unknown, |detection| detection.outcome.verdict)
    }

    /// What was seen; the first one decided, and gives summary and fix.
    pub fn detections(&self) -> &[Detection] {
        &self.detections
    }

    /// The requests and lines that decided.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// The text of the main edit that fixes it.
    pub fn snippet(&self) -> Option<String> {
        self.fix.as_ref().and_then(Fix::snippet)
    }

    /// The edits that fix it, filled from the site's own facts. Code, so not translated.
    pub fn fix(&self) -> Option<&Fix> {
        self.fix.as_ref()
    }
}

/// A request that decided something, and what of its answer did.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Evidence {
    /// Always `GET`.
    pub method: &'static str,
    /// The address that answered, or that was asked in vain.
    pub url: String,
    /// Status code; absent when no response came.
    pub status: Option<u16>,
    /// `Content-Type` as sent, capped.
    pub content_type: Option<String>,
    /// Bytes of the decoded body that were read.
    pub bytes: Option<usize>,
    /// Milliseconds to the end of the body.
    pub ms: Option<u32>,
    /// A remark such as `line 12` or `redirect 302`.
    pub note: Option<Note>,
    /// At most 200 characters of the site's own text. Untrusted.
    pub excerpt: Option<String>,
    /// Line of the body, counted from 1.
    pub line: Option<usize>,
    /// CSS path of an element of the body.
    pub css: Option<String>,
}

impl Evidence {
    /// Evidence from a response.
    pub fn from_response(response: &Response) -> Self {
        Self {
            method: "GET",
            url: excerpt(response.url.as_str()),
            status: Some(response.status),
            content_type: response.headers.first("content-type").map(excerpt),
            bytes: Some(response.body.len()),
            ms: Some(response.total_ms),
            note: None,
            excerpt: None,
            line: None,
            css: None,
        }
    }

    /// Evidence from a place in a page: its text, its line, counted from 1, and its CSS path,
    /// which is left out if it is empty.
    pub fn on_page(url: &Url, quote: &str, line: usize, css: String) -> Self {
        Self {
            line: Some(line),
            css: Some(css).filter(|css| !css.is_empty()),
            excerpt: Some(excerpt(quote)),
            ..Self::for_url(url.as_str())
        }
    }

    /// Evidence from an address, whatever it answered.
    pub fn for_url(url: &str) -> Self {
        Self {
            method: "GET",
            url: excerpt(url),
            status: None,
            content_type: None,
            bytes: None,
            ms: None,
            note: None,
            excerpt: None,
            line: None,
            css: None,
        }
    }

    /// Evidence from a request that brought no response.
    pub fn from_fetch_error(url: &str, error: &FetchError) -> Self {
        Self { note: Some(error.note()), ..Self::for_url(url) }
    }

    /// Adds a remark.
    #[must_use]
    pub fn note(mut self, note: Note) -> Self {
        self.note = Some(note);
        self
    }

    /// Quotes the site, capped at 200 characters.
    #[must_use]
    pub fn quote(mut self, text: &str) -> Self {
        self.excerpt = Some(excerpt(text));
        self
    }

    /// Points at a line, counted from 1.
    #[must_use]
    pub fn line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self.note(Note::new("line").with("line", line))
    }
}

/// Something worth knowing that no check scores.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Observation {
    /// Noun phrase in kebab-case; its sentences are in `locales/` under `observations`.
    pub id: &'static str,
    /// Values for the placeholders of its sentence.
    pub values: BTreeMap<&'static str, String>,
    /// Where it was seen.
    pub resource: Option<Resource>,
}
