//! Resources: results, checks, agents and documents by URI.

mod documents;
mod uri;

use crate::agents::Registry;
use crate::error::ErrorCode;
use crate::report::{audit, markdown};
use crate::scan::checks::CHECKS;
use crate::text::docs;
use crate::text::escape::printable;
use crate::text::locale::{Catalog, Lang};
use rmcp::model::{
    CacheScope, ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde::Serialize;
use serde_json::{Value, json};

use self::documents::DOCUMENTS;
pub(crate) use self::uri::ResourceUri;
pub use self::uri::scope_of_resource;
use crate::mcp::host::Host;
use crate::mcp::tool::Call;
use crate::mcp::tool_error::ToolError;

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";
/// How long a client may keep what only a new version of this program changes: a day.
const STATIC_TTL_MS: u64 = 86_400_000;
/// How long a client may keep a result: the limits of the host decide, not the client.
const RESULT_TTL_MS: u64 = 0;
/// Resources have no argument for it.
const LANG: Lang = Lang::En;

/// The resources that are listed one by one.
pub(crate) fn listed() -> Vec<Resource> {
    let mut listed = vec![
        Resource::new(ResourceUri::Checks.to_string(), "checks")
            .with_title("The checks of a scan")
            .with_description("Ids, titles, categories, weights and efforts of all checks.")
            .with_mime_type(JSON),
        Resource::new(ResourceUri::Agents.to_string(), "agents")
            .with_title("The agents of the access matrix")
            .with_description("Ids, names, vendors, purposes and robots.txt tokens.")
            .with_mime_type(JSON),
    ];
    listed.extend(DOCUMENTS.iter().map(|document| {
        let size = u64::try_from(document.text.len()).unwrap_or(u64::MAX);
        let name = format!("docs-{}", document.slug);
        Resource::new(ResourceUri::Document(document).to_string(), name)
            .with_title(document.title())
            .with_description(document.about)
            .with_mime_type(MARKDOWN)
            .with_size(size)
    }));
    listed
}

/// The resources whose addresses are made from names.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("visibility://scan/{domain}", "scan")
            .with_title("The scan of a site")
            .with_description(
                "Report and JSON of the cached scan of a domain; scans it if there is none.",
            ),
        ResourceTemplate::new("visibility://audit/{id}", "audit")
            .with_title("The audit of a page")
            .with_description("Report and JSON of an audit, by the id from audit_page."),
        ResourceTemplate::new("visibility://check/{id}", "check")
            .with_title("A check")
            .with_description("Why a check matters, its possible results, and how to fix it.")
            .with_mime_type(MARKDOWN),
    ]
}

/// Reads a resource.
///
/// # Errors
///
/// When no resource has this address, or the host refuses to find its content.
pub(crate) async fn read<H: Host>(
    uri: &str,
    call: Call<'_, H>,
) -> Result<ReadResourceResult, ErrorData> {
    let address = ResourceUri::parse(uri).ok_or_else(|| not_found(uri, NO_ADDRESS))?;
    match address {
        ResourceUri::Scan(domain) => {
            let result = call.scan(&domain, LANG).await.map_err(|why| error(&why))?;
            result_of(uri, &markdown::render(&result), &*result)
        }
        ResourceUri::Audit(id) => {
            let found = call.host.audited(call.caller, id, LANG).await;
            let result = found.map_err(|why| error(&why))?.ok_or_else(|| {
                not_found(uri, "There is no audit with this id, or it has expired.")
            })?;
            result_of(uri, &audit::markdown::render(&result), &*result)
        }
        ResourceUri::Check(check) => {
            let section = documents::section(docs::CHECKS, check.id);
            Ok(fixed(ResourceContents::text(section, uri).with_mime_type(MARKDOWN)))
        }
        ResourceUri::Checks => Ok(fixed(json_text(uri, &checks())?)),
        ResourceUri::Agents => Ok(fixed(json_text(uri, &agents())?)),
        ResourceUri::Document(document) => {
            Ok(fixed(ResourceContents::text(document.text, uri).with_mime_type(MARKDOWN)))
        }
    }
}

/// Characters of an address that an error repeats.
const MAX_URI_CHARS: usize = 2048;
/// The known resources, for the error about an unknown one.
const NO_ADDRESS: &str = "There is no resource with this URI. The resources are visibility://scan/{domain}, \
    visibility://audit/{id}, visibility://check/{id}, visibility://checks, \
    visibility://agents and visibility://docs/{slug}; resources/list lists the \
    documents.";

/// The error for an unknown address. It repeats the address, as SEP-2164 requires, up to a limit.
fn not_found(uri: &str, message: &'static str) -> ErrorData {
    let uri: String = uri.chars().take(MAX_URI_CHARS).collect();
    ErrorData::resource_not_found(message, Some(json!({ "uri": uri })))
}

/// A refusal of the host, in the format of the tools: `CODE: message. Hint.`
fn error(error: &ToolError) -> ErrorData {
    let (text, object) = error.render(LANG);
    match error.problem().code() {
        // Nothing can be there.
        ErrorCode::InvalidDomain | ErrorCode::DomainNotAllowed | ErrorCode::NotFound => {
            ErrorData::resource_not_found(text, Some(object))
        }
        _ => ErrorData::internal_error(text, Some(object)),
    }
}

/// What is the same for everybody until there is a new version.
fn fixed(contents: ResourceContents) -> ReadResourceResult {
    ReadResourceResult::new(vec![contents])
        .with_ttl_ms(STATIC_TTL_MS)
        .with_cache_scope(CacheScope::Public)
}

/// A result that begins with the note that it contains texts of a site.
#[derive(Serialize)]
struct Marked<'a, T> {
    note: &'a str,
    #[serde(flatten)]
    result: &'a T,
}

/// A result: a report for models and people, and its JSON for programs.
fn result_of(
    uri: &str,
    report: &str,
    result: &impl Serialize,
) -> Result<ReadResourceResult, ErrorData> {
    let warning = Catalog::for_lang(LANG).text(&["mcp", "tool", "untrusted-report"]);
    let report = format!("> {warning}\n\n{report}");
    let object = json_text(uri, &Marked { note: &warning, result })?;
    let contents = vec![ResourceContents::text(report, uri).with_mime_type(MARKDOWN), object];
    Ok(ReadResourceResult::new(contents)
        .with_ttl_ms(RESULT_TTL_MS)
        .with_cache_scope(CacheScope::Private))
}

fn json_text(uri: &str, value: &impl Serialize) -> Result<ResourceContents, ErrorData> {
    let text = serde_json::to_string(value).map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "a resource is not JSON");
        ErrorData::internal_error("The resource could not be written.", None)
    })?;
    // What controls is escaped in JSON already; what turns or hides text is not.
    Ok(ResourceContents::text(printable(&text), uri).with_mime_type(JSON))
}

fn checks() -> Value {
    let catalog = Catalog::for_lang(LANG);
    let checks = CHECKS.iter().map(|check| {
        json!({
            "id": check.id,
            "title": catalog.text(&["checks", check.id, "title"]),
            "category": check.category,
            "weight": check.weight,
            "maturity": check.maturity,
            "effort": check.effort,
            "covers": check.covers,
            "uri": ResourceUri::Check(check).to_string(),
        })
    });
    json!({ "checks": checks.collect::<Vec<_>>() })
}

/// The agents of the matrix, and those whose log records are taken beside them.
fn agents() -> Value {
    let registry = Registry::embedded();
    let others = registry.agents.iter().filter(|agent| !agent.in_matrix);
    let agents = registry.matrix().into_iter().chain(others).map(|agent| {
        json!({
            "id": agent.id,
            "name": agent.name,
            "vendor": agent.vendor,
            "purpose": agent.purpose,
            "robots_token": agent.robots_token,
            "respects_robots_txt": agent.respects_robots_txt,
            "in_matrix": agent.in_matrix,
            "documentation_url": agent.documentation_url,
        })
    });
    json!({ "version": registry.version, "agents": agents.collect::<Vec<_>>() })
}
