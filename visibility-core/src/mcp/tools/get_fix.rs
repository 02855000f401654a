//! `get_fix`: how a check is fixed on a platform.

use crate::accounts::scope::Scope;
use crate::fetch::domain::Domain;
use crate::report::labels::Labels;
use crate::rubric::finding::Verdict;
use crate::rubric::fix::{self, FixFile, Platform};
use crate::scan::guide;
use crate::scan::result::{CheckResult, ScanResult};
use crate::text::escape::{MarkdownContext, markdown_code};
use crate::text::locale::{self, Catalog};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::mcp::host::Host;
use crate::mcp::input::{self, LangInput};
use crate::mcp::reply::{Reply, label, sentence};
use crate::mcp::tool::{Call, Tool, World};
use crate::mcp::tool_error::ToolError;
use crate::mcp::untrusted::{self, Cut, Untrusted};

/// The tool.
pub(crate) struct GetFix;

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Such as example.com.
    domain: String,
    /// Such as llms-txt.
    check_id: String,
    /// Default: as seen.
    #[serde(default)]
    #[schemars(schema_with = "platforms")]
    platform: Option<Platform>,
    /// Language.
    #[serde(default)]
    lang: LangInput,
}

fn platforms(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Platform::ALL.map(Platform::as_str) })
}

/// What it returns.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct Output {
    status: String,
    platform: String,
    steps: Vec<String>,
    verify_command: String,
    /// What the members below are.
    note: String,
    files: Vec<File>,
    needs_input: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before_you_paste: Option<String>,
    truncated: bool,
}

/// A file to create, to append to, or to replace a part of.
#[derive(Debug, JsonSchema, Serialize)]
pub(crate) struct File {
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    media_type: String,
    mode: String,
    content: Untrusted,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

impl Tool for GetFix {
    const NAME: &'static str = "get_fix";
    const TITLE: &'static str = "Get a fix";
    const DESCRIPTION: &'static str = "Get files and steps for a check. Use after get_check.";
    const WORLD: World = World::Open;
    const SCOPE: Option<Scope> = Some(Scope::ScanRead);

    type Input = Input;
    type Output = Output;

    fn lang(input: &Input) -> locale::Lang {
        input.lang.into()
    }

    async fn call<H: Host>(call: Call<'_, H>, input: Input) -> Result<Reply<Output>, ToolError> {
        let check = input::check(&input.check_id)?;
        let domain = input::domain(&input.domain)?;
        let labels = Labels::new(input.lang.into());
        let result = call.scan(&domain, labels.lang()).await?;
        let found = result
            .checks
            .iter()
            .find(|one| one.id == check.id)
            .ok_or_else(|| input::not_judged(check))?;
        let platform = input.platform.unwrap_or(result.platform);
        let output = output(&result, found, (&domain, platform), labels.catalog());
        let reply = Reply::new(output, move |output| markdown(output, &result, check.id, labels));
        Ok(reply.link_to_check(check.id, labels))
    }
}

fn output(
    result: &ScanResult,
    check: &CheckResult,
    (domain, platform): (&Domain, Platform),
    catalog: &Catalog,
) -> Output {
    let (steps, files) = match (&check.fix, check.status) {
        (Some(fix), _) => (
            guide::steps(&check.id, platform, &fix.hint, &result.expires_at, catalog),
            // Those of the result are for the site as it was seen.
            if platform == result.platform {
                fix.files.clone()
            } else {
                let files = fix::files(&fix.edits, platform).into_iter();
                files.map(|file| file.with_comments(catalog)).collect()
            },
        ),
        (None, verdict) => {
            let id = match verdict {
                Verdict::Pass => "passed",
                Verdict::NotApplicable => "not-applicable",
                Verdict::Unknown | Verdict::Warn | Verdict::Fail => "unknown",
            };
            (vec![catalog.text(&["mcp", "fix", id])], Vec::new())
        }
    };
    let fixed = check.fix.as_ref();
    let mut truncated = false;
    let inputs = fixed.map(|fix| fix.needs_input.as_slice()).unwrap_or_default();
    let is_shown = |name: &&String| files.iter().any(|file: &FixFile| file.content.contains(*name));
    let needs_input = inputs.iter().filter(is_shown).cloned().collect();
    let note = fixed.and_then(|fix| {
        let pages = guide::pages(&fix.edits, &files, platform);
        let note = guide::note(&check.id, &fix.edits, &files, platform, catalog);
        let documented = guide::documented(&pages, platform, catalog);
        note.into_iter().chain(documented).reduce(|note, pages| format!("{note} {pages}"))
    });
    let files = files.into_iter().map(|file| {
        let (content, cut) = Untrusted::file(&file.content);
        truncated |= cut == Cut::Yes;
        File {
            path: file.path,
            place: file.place.map(|place| place.as_str().to_owned()),
            media_type: file.media_type,
            mode: file.mode.as_str().to_owned(),
            content,
            line: file.replaces.map(|old| old.line),
        }
    });
    let files: Vec<File> = files.collect();
    Output {
        status: check.status.as_str().to_owned(),
        platform: platform.as_str().to_owned(),
        steps,
        verify_command: guide::verify_command(&check.id, domain, &result.agents),
        note: untrusted::fields(&["content"], catalog),
        needs_input,
        files,
        before_you_paste: note,
        truncated,
    }
}

fn markdown(output: &Output, result: &ScanResult, check: &str, labels: Labels) -> String {
    let status = labels.catalog().text(&["verdicts", &output.status]);
    let mut text = format!(
        "**`{}`**: {} ({status})\n\n### {}\n",
        check,
        result.domain,
        label(labels, "steps")
    );
    for (index, step) in output.steps.iter().enumerate() {
        text.push_str(&format!("{}. {step}\n", index + 1));
    }
    let command = markdown_code(&output.verify_command, MarkdownContext::Inline);
    text.push_str(&format!("\n{}\n", sentence(labels, "verify", &[("command", &command)])));
    if !output.files.is_empty() {
        text.push_str(&format!("\n### {}\n", label(labels, "files")));
    }
    for file in &output.files {
        let id = format!("file-{}", file.mode);
        let place =
            file.place.as_deref().map(|place| labels.catalog().text(&["placements", place]));
        let path = [file.path.clone(), place].into_iter().flatten().collect::<Vec<_>>().join(", ");
        let head = sentence(labels, &id, &[("path", &path)]);
        let content = untrusted::block(file.content.as_str(), labels.catalog());
        text.push_str(&format!("\n{head}\n\n{content}"));
    }
    text
}
