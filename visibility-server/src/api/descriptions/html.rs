//! The reference as HTML: the part between the head and the foot of the page.

use maud::{Markup, html};
use visibility_core::error::ErrorCode;

use super::reference::{
    OperationPart, Reference, RequestBody, ResponsePart, SchemaPart, TableRow, TypeLabel,
};
use crate::http::response::status_of;
use visibility_core::text::markup::{lines, sentence, shown};

/// The body of the page, with one `h1`.
pub(super) fn render(references: &[Reference]) -> Markup {
    html! {
        h1 { "API reference" }
        @if let Some(reference) = references.first() {
            (prose(&reference.about))
        }
        (contents(references))
        @for (index, reference) in references.iter().enumerate() {
            (part(reference, index))
        }
        (codes())
        h2 #schemas { "Schemas" }
        @for schema in schemas(references) { (schema_part(schema)) }
    }
}

/// The schemas of all descriptions, which share some, each once.
fn schemas(references: &[Reference]) -> Vec<&SchemaPart> {
    let mut found: Vec<&SchemaPart> = Vec::new();
    for schema in references.iter().flat_map(|reference| &reference.schemas) {
        if !found.iter().any(|seen| seen.name == schema.name) {
            found.push(schema);
        }
    }
    found
}

/// Paragraphs and lists.
fn prose(text: &str) -> Markup {
    blocks(text, sentence)
}

/// The same, with paragraphs in a form of their own.
fn blocks(text: &str, paragraph: impl Fn(&str) -> Markup) -> Markup {
    html! {
        @for block in text.split("\n\n") {
            @if block.starts_with("* ") {
                ul {
                    @for item in block.lines().filter_map(|line| line.strip_prefix("* ")) {
                        li { (sentence(item)) }
                    }
                }
            } @else {
                p { (paragraph(block)) }
            }
        }
    }
}

fn contents(references: &[Reference]) -> Markup {
    let operations = references
        .iter()
        .flat_map(|reference| &reference.groups)
        .flat_map(|group| &group.operations);
    html! {
        nav.contents aria-label="Operations" {
            ul {
                @for operation in operations {
                    li {
                        a href={ "#" (operation.id) } {
                            (method(&operation.method)) (path(&operation.path))
                        }
                        " " span { (shown(&*operation.summary)) }
                    }
                }
                li { a href="#errors" { "Errors" } " " span { "All codes and their statuses" } }
                li { a href="#schemas" { "Schemas" } " " span { "Every body, member by member" } }
            }
        }
    }
}

fn method(method: &str) -> Markup {
    html! { span class={ "method " (method.to_lowercase()) } { (method) } " " }
}

/// A path that may break where a part of it begins.
fn path(path: &str) -> Markup {
    html! {
        code.path {
            @for (index, part) in path.split('/').enumerate() {
                @if index > 0 { "/" wbr; }
                (part)
            }
        }
    }
}

fn part(reference: &Reference, index: usize) -> Markup {
    // The first one is the subject of the page.
    let (id, title) =
        if index == 0 { ("api", "Public API") } else { ("ingestion", "Log ingestion") };
    let operations = reference.groups.iter().flat_map(|group| &group.operations);
    html! {
        h2 id=(id) { (title) }
        @if index > 0 { (prose(&reference.about)) }
        p { (sentence(&format!("`Authorization: Bearer`: {}", reference.bearer))) }
        @for operation in operations { (self::operation(operation)) }
    }
}

/// A heading that can be linked to.
fn anchored_heading(id: &str, text: &str) -> Markup {
    html! {
        h3 id=(id) {
            (shown(text)) " " a.anchor href={ "#" (id) } aria-label={ "Link to " (text_of(id)) } { "#" }
        }
    }
}

/// What an anchor of a schema is called: the schema.
fn text_of(id: &str) -> &str {
    id.strip_prefix("schema-").unwrap_or(id)
}

fn operation(operation: &OperationPart) -> Markup {
    html! {
        section.operation aria-labelledby=(operation.id) {
            (anchored_heading(&operation.id, &operation.summary))
            p.line {
                (method(&operation.method)) (path(&operation.path)) " "
                span.mark { @if operation.is_public { "no key" } @else { "bearer" } }
                @if operation.is_extension { " " span.mark { "extension" } }
            }
            (prose(&operation.description))
            (block(&operation.command))
            @if !operation.parameters.is_empty() {
                h4 { "Parameters" }
                (table(&format!("Parameters of {}", operation.id), &operation.parameters))
            }
            @if let Some(body) = &operation.body { (request(body)) }
            (responses(&operation.responses))
        }
    }
}

fn block(text: &str) -> Markup {
    html! { pre tabindex="0" { code { (lines(text.trim_end())) } } }
}

/// A table that scrolls by itself on narrow screens.
fn table(label: &str, rows: &[TableRow]) -> Markup {
    let has_place = rows.iter().any(|row| row.location.is_some());
    html! {
        div.scroll tabindex="0" role="region" aria-label=(label) {
            table.members {
                thead {
                    tr {
                        th scope="col" { "Name" }
                        @if has_place { th scope="col" { "In" } }
                        th scope="col" { "Type" }
                        th scope="col" { "Meaning" }
                    }
                }
                tbody { @for row in rows { (self::row(row)) } }
            }
        }
    }
}

fn row(row: &TableRow) -> Markup {
    html! {
        tr {
            th scope="row" {
                code { (shown(&*row.name)) }
                @if !row.is_required { " " small { "optional" } }
            }
            @if let Some(location) = &row.location { td { (shown(&**location)) } }
            td { (kind(&row.kind)) }
            td { (sentence(&row.description)) }
        }
    }
}

fn kind(kind: &TypeLabel) -> Markup {
    html! {
        (sentence(&kind.before))
        @if let Some(name) = &kind.schema { a href={ "#schema-" (name) } { (name) } }
        (kind.after)
    }
}

fn request(body: &RequestBody) -> Markup {
    html! {
        h4 { "Body" }
        p {
            code { (body.media_type) } ", " (kind(&body.kind))
            @if !body.description.is_empty() { "." }
            " " (sentence(&body.description))
        }
        (block(&body.example))
    }
}

fn responses(responses: &[ResponsePart]) -> Markup {
    let (common, own): (Vec<&ResponsePart>, Vec<&ResponsePart>) =
        responses.iter().partition(|response| response.is_common);
    html! {
        h4 { "Answers" }
        dl.answers { @for response in own { (self::response(response)) } }
        p.common {
            "As any operation: "
            @for (index, response) in common.into_iter().enumerate() {
                @if index > 0 { ", " }
                (common_response(response))
            }
        }
    }
}

/// The status of an answer that any operation may give, and its code.
fn common_response(response: &ResponsePart) -> Markup {
    let code = leading_code(&response.description).map_or("", |(code, _rest)| code.as_str());
    html! { (response.status) " " a href={ "#error-" (code) } { code { (code) } } }
}

fn response(response: &ResponsePart) -> Markup {
    let class = match response.status.as_bytes().first() {
        Some(b'2') => "pass",
        Some(b'3') => "none",
        Some(b'4') => "warn",
        _ => "fail",
    };
    let body = response.kind.as_ref().filter(|_| class == "pass");
    html! {
        dt { b class=(class) { (response.status) } }
        dd {
            (blocks(&response.description, linked_code))
            @if let Some(body) = body { p { "Body: " (kind(body)) } }
            @if !response.headers.is_empty() {
                p.headers {
                    "Headers: "
                    @for (index, name) in response.headers.iter().enumerate() {
                        @if index > 0 { ", " }
                        code { (name) }
                    }
                }
            }
            @if let Some(example) = &response.example {
                details { summary { "Example" } (block(example)) }
            }
        }
    }
}

/// A sentence; the code of an error that it begins with leads to its row.
fn linked_code(text: &str) -> Markup {
    match leading_code(text) {
        Some((code, rest)) => html! {
            a href={ "#error-" (code.as_str()) } { code { (code.as_str()) } } (sentence(rest))
        },
        None => sentence(text),
    }
}

/// The code of an error that a sentence begins with, and what follows.
fn leading_code(text: &str) -> Option<(ErrorCode, &str)> {
    let (name, rest) = text.strip_prefix('`')?.split_once('`')?;
    let code = ErrorCode::ALL.into_iter().find(|code| code.as_str() == name)?;
    Some((code, rest))
}

fn codes() -> Markup {
    html! {
        h2 #errors { "Errors" }
        p {
            "Every answer that is no success has one body, " a href="#schema-Error" { "Error" }
            ". Rely on " code { "code" } ": it stays. " code { "message" } " and " code { "hint" }
            " are for people, in the language of " code { "lang" } "."
        }
        div.scroll tabindex="0" role="region" aria-label="Error codes" {
            table.members {
                thead {
                    tr {
                        th scope="col" { "Code" }
                        th scope="col" { "Status" }
                        th scope="col" { "Meaning" }
                    }
                }
                tbody {
                    @for code in ErrorCode::ALL {
                        tr id={ "error-" (code.as_str()) } {
                            th scope="row" { code { (code.as_str()) } }
                            td { (status_of(code).as_u16()) }
                            td { (sentence(code.meaning())) }
                        }
                    }
                }
            }
        }
    }
}

fn schema_part(schema: &SchemaPart) -> Markup {
    let id = format!("schema-{}", schema.name);
    html! {
        section aria-labelledby=(id) {
            (anchored_heading(&id, &schema.name))
            // The codes have a table of their own.
            @if schema.name == "ErrorCode" {
                p { "One of the " a href="#errors" { "codes" } "." }
            } @else {
                (prose(&schema.description))
                @if !schema.values.is_empty() {
                    p {
                        @for (index, value) in schema.values.iter().enumerate() {
                            @if index > 0 { " " }
                            code { (value) }
                        }
                    }
                }
                @if !schema.rows.is_empty() { (table(&format!("Members of {}", schema.name), &schema.rows)) }
            }
        }
    }
}
