//! The parts of SARIF 2.1.0 that are written, with their names from the specification.

use serde::Serialize;

use crate::text::locale::Lang;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

#[derive(Debug, Serialize)]
pub(super) struct Log {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    tool: Tool,
    language: &'static str,
    invocations: [Invocation; 1],
    automation_details: AutomationDetails,
    column_kind: &'static str,
    results: Vec<SarifResult>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    information_uri: &'static str,
    rules: Vec<SarifRule>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRule {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) short_description: Message,
    pub(super) full_description: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help_uri: Option<String>,
    pub(super) help: Help,
    pub(super) properties: RuleProperties,
}

#[derive(Debug, Serialize)]
pub(super) struct Help {
    pub(super) text: String,
    pub(super) markdown: String,
}

#[derive(Debug, Serialize)]
pub(super) struct RuleProperties {
    pub(super) tags: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
struct AutomationDetails {
    id: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_execution_notifications: Vec<Notification>,
}

/// Something that the tool could not do.
#[derive(Debug, Serialize)]
pub(super) struct Notification {
    level: SarifLevel,
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: String,
    pub(super) rule_index: usize,
    pub(super) level: SarifLevel,
    pub(super) message: Message,
    pub(super) locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location>,
    pub(super) partial_fingerprints: Fingerprints,
    pub(super) properties: ResultProperties,
}

/// Levels, worst first.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SarifLevel {
    Error,
    Warning,
    Note,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    pub(super) physical_location: PhysicalLocation,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) snippet: Option<Message>,
}

/// What stays the same while lines move: the rule and the file.
#[derive(Debug, Serialize)]
pub(super) struct Fingerprints {
    /// The only one that GitHub reads.
    #[serde(rename = "primaryLocationLineHash")]
    pub(super) line: String,
    #[serde(rename = "finding/v1")]
    pub(super) finding: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ResultProperties {
    /// The page or the site.
    pub(super) about: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) css: Option<String>,
    /// Points that fixing it brings.
    pub(super) points: f64,
}

impl Log {
    /// A log of one run.
    pub(super) fn new(
        lang: Lang,
        category: &'static str,
        rules: Vec<SarifRule>,
        results: Vec<SarifResult>,
        invocation: Invocation,
    ) -> Self {
        let driver = Driver {
            name: "visibility",
            semantic_version: env!("CARGO_PKG_VERSION"),
            information_uri: env!("CARGO_PKG_HOMEPAGE"),
            rules,
        };
        let run = Run {
            tool: Tool { driver },
            language: lang.as_str(),
            invocations: [invocation],
            automation_details: AutomationDetails { id: category },
            column_kind: "unicodeCodePoints",
            results,
        };
        Self { schema: SCHEMA, version: "2.1.0", runs: [run] }
    }
}

impl Notification {
    pub(super) fn error(text: String, locations: Vec<Location>) -> Self {
        Self { level: SarifLevel::Error, message: Message { text }, locations }
    }

    pub(super) fn warning(text: String) -> Self {
        Self { level: SarifLevel::Warning, message: Message { text }, locations: Vec::new() }
    }
}
