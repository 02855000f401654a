//! The reference as Markdown.

use visibility_core::error::ErrorCode;
use visibility_core::text::escape::{
    MarkdownContext, markdown_block, markdown_code, markdown_sentence,
};

use super::reference::{OperationPart, Reference, ResponsePart, SchemaPart, TableRow, TypeLabel};
use crate::http::response::status_of;

/// The whole page.
pub(super) fn render(references: &[Reference]) -> String {
    let mut page = String::from("# API reference\n\n");
    for (index, reference) in references.iter().enumerate() {
        if index > 0 {
            page.push_str("## Log ingestion\n\n");
        }
        page.push_str(&prose(&reference.about));
        if index == 0 {
            page.push_str("## Public API\n\n");
        }
        page.push_str(&prose(&format!("`Authorization: Bearer`: {}", reference.bearer)));
        for operation in reference.groups.iter().flat_map(|group| &group.operations) {
            page.push_str(&self::operation(operation));
        }
    }
    page.push_str(&codes());
    page.push_str("## Schemas\n\n");
    let mut seen: Vec<&str> = Vec::new();
    for schema in references.iter().flat_map(|reference| &reference.schemas) {
        if !seen.contains(&schema.name.as_str()) {
            seen.push(&schema.name);
            page.push_str(&schema_part(schema));
        }
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn prose(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("* ") {
        Some(item) => format!("* {}\n", markdown_sentence(item, MarkdownContext::Start)),
        None => format!("{}\n", markdown_sentence(line, MarkdownContext::Start)),
    };
    let block = |block: &str| {
        if block.starts_with("* ") {
            block.lines().map(line).collect()
        } else {
            line(&block.replace('\n', " "))
        }
    };
    text.split("\n\n").map(|text| format!("{}\n", block(text))).collect()
}

fn operation(operation: &OperationPart) -> String {
    let mut text = format!(
        "### {}\n\n{}, {}{}\n\n",
        markdown_sentence(&operation.summary, MarkdownContext::Inline),
        markdown_code(&format!("{} {}", operation.method, operation.path), MarkdownContext::Inline),
        if operation.is_public { "no key" } else { "bearer" },
        if operation.is_extension { ", extension of the contract" } else { "" },
    );
    text.push_str(&prose(&operation.description));
    text.push_str(&markdown_block(&operation.command, "sh"));
    text.push('\n');
    if !operation.parameters.is_empty() {
        text.push_str(&table(&operation.parameters));
    }
    if let Some(body) = &operation.body {
        text.push_str(&format!(
            "Body: {}, {}. {}\n\n{}\n",
            markdown_code(&body.media_type, MarkdownContext::Inline),
            kind(&body.kind),
            markdown_sentence(&body.description, MarkdownContext::Inline),
            markdown_block(body.example.trim_end(), "json")
        ));
    }
    text.push_str("| Status | Body | Meaning |\n|---|---|---|\n");
    text.extend(operation.responses.iter().map(response));
    text.push('\n');
    text
}

fn response(response: &ResponsePart) -> String {
    let meaning: Vec<String> = response
        .description
        .split("\n\n")
        .map(|sentence| markdown_sentence(sentence, MarkdownContext::Cell))
        .collect();
    let body = response.kind.as_ref().map(kind).unwrap_or_default();
    format!("| {} | {body} | {} |\n", response.status, meaning.join(" "))
}

fn table(rows: &[TableRow]) -> String {
    let rows: String = rows.iter().map(row).collect();
    format!("| Name | Type | Meaning |\n|---|---|---|\n{rows}\n")
}

fn row(row: &TableRow) -> String {
    let location =
        row.location.as_deref().map(|location| format!(" ({location})")).unwrap_or_default();
    format!(
        "| {}{location}{} | {} | {} |\n",
        markdown_code(&row.name, MarkdownContext::Cell),
        if row.is_required { "" } else { ", optional" },
        kind(&row.kind),
        markdown_sentence(&row.description, MarkdownContext::Cell)
    )
}

fn kind(kind: &TypeLabel) -> String {
    let schema = kind.schema.as_deref().unwrap_or_default();
    format!(
        "{}{schema}{}",
        markdown_sentence(&kind.before, MarkdownContext::Cell),
        markdown_sentence(&kind.after, MarkdownContext::Cell)
    )
}

fn codes() -> String {
    let rows = ErrorCode::ALL.map(|code| {
        format!(
            "| `{}` | {} | {} |\n",
            code.as_str(),
            status_of(code).as_u16(),
            markdown_sentence(code.meaning(), MarkdownContext::Cell)
        )
    });
    format!("## Errors\n\n| Code | Status | Meaning |\n|---|---|---|\n{}\n", rows.concat())
}

fn schema_part(schema: &SchemaPart) -> String {
    let mut text = format!("### {}\n\n", markdown_sentence(&schema.name, MarkdownContext::Inline));
    if schema.name == "ErrorCode" {
        text.push_str("One of the codes above.\n\n");
        return text;
    }
    text.push_str(&prose(&schema.description));
    if !schema.values.is_empty() {
        let values: Vec<String> = schema
            .values
            .iter()
            .map(|value| markdown_code(value, MarkdownContext::Inline))
            .collect();
        text.push_str(&format!("{}\n\n", values.join(" ")));
    }
    if !schema.rows.is_empty() {
        text.push_str(&table(&schema.rows));
    }
    text
}
