//! The reference as HTML: the part between the head and the foot of the page.

use visibility_core::error::ErrorCode;
use visibility_core::text::escape::{html, html_lines, html_sentence};

use super::reference::{
    Group, OperationPart, Reference, RequestBody, ResponsePart, SchemaPart, TableRow, TypeLabel,
};
use crate::http::response::status_of;

/// The body of the page, with one `h1`.
pub(super) fn render(references: &[Reference]) -> String {
    let mut page = String::from("<h1>API reference</h1>\n");
    for reference in references.iter().take(1) {
        page.push_str(&prose(&reference.about));
    }
    page.push_str(&contents(references));
    for (index, reference) in references.iter().enumerate() {
        page.push_str(&part(reference, index));
    }
    page.push_str(&codes());
    page.push_str("<h2 id=\"schemas\">Schemas</h2>\n");
    let mut seen: Vec<&str> = Vec::new();
    for schema in references.iter().flat_map(|reference| &reference.schemas) {
        // The descriptions share some.
        if !seen.contains(&schema.name.as_str()) {
            seen.push(&schema.name);
            page.push_str(&schema_part(schema));
        }
    }
    page
}

/// Paragraphs and lists.
fn prose(text: &str) -> String {
    text.split("\n\n")
        .map(|block| {
            if !block.starts_with("* ") {
                return format!("<p>{}</p>\n", html_sentence(block));
            }
            let items = block.lines().filter_map(|line| line.strip_prefix("* "));
            let items: String =
                items.map(|item| format!("<li>{}</li>\n", html_sentence(item))).collect();
            format!("<ul>\n{items}</ul>\n")
        })
        .collect()
}

fn contents(references: &[Reference]) -> String {
    let operations = references
        .iter()
        .flat_map(|reference| &reference.groups)
        .flat_map(|group| &group.operations);
    format!(
        "<nav class=\"contents\" aria-label=\"Operations\">\n<ul>\n{}\
         <li><a href=\"#errors\">Errors</a> <span>All codes and their statuses</span></li>\n\
         <li><a href=\"#schemas\">Schemas</a> <span>Every body, member by member</span></li>\n</ul>\n</nav>\n",
        operations
            .map(|operation| {
                format!(
                    "<li><a href=\"#{}\">{}{}</a> <span>{}</span></li>\n",
                    html(&operation.id),
                    method(&operation.method),
                    path(&operation.path),
                    html(&operation.summary)
                )
            })
            .collect::<String>()
    )
}

fn method(method: &str) -> String {
    format!("<span class=\"method {}\">{}</span> ", html(&method.to_lowercase()), html(method))
}

/// A path that may break where a part of it begins.
fn path(path: &str) -> String {
    format!("<code class=\"path\">{}</code>", html(path).replace('/', "/<wbr>"))
}

fn part(reference: &Reference, index: usize) -> String {
    // The first one is the subject of the page.
    let title = if index == 0 { "Public API" } else { "Log ingestion" };
    let id = if index == 0 { "api" } else { "ingestion" };
    let mut text = format!("<h2 id=\"{id}\">{title}</h2>\n");
    if index > 0 {
        text.push_str(&prose(&reference.about));
    }
    text.push_str(&format!(
        "<p>{}</p>\n",
        html_sentence(&format!("`Authorization: Bearer`: {}", reference.bearer))
    ));
    for group in &reference.groups {
        text.push_str(&self::group(group));
    }
    text
}

fn group(group: &Group) -> String {
    group.operations.iter().map(operation).collect()
}

fn operation(operation: &OperationPart) -> String {
    let id = html(&operation.id);
    let mut marks = String::from(if operation.is_public {
        "<span class=\"mark\">no key</span>"
    } else {
        "<span class=\"mark\">bearer</span>"
    });
    if operation.is_extension {
        marks.push_str(" <span class=\"mark\">extension</span>");
    }
    format!(
        "<section class=\"operation\" aria-labelledby=\"{id}\">\n\
         <h3 id=\"{id}\">{summary} <a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to {id}\">#</a></h3>\n\
         <p class=\"line\">{method}{path} {marks}</p>\n{description}{command}{parameters}{body}{responses}</section>\n",
        summary = html(&operation.summary),
        method = method(&operation.method),
        path = path(&operation.path),
        description = prose(&operation.description),
        command = block(&operation.command),
        parameters = parameters(&operation.parameters),
        body = operation.body.as_ref().map(request).unwrap_or_default(),
        responses = responses(&operation.responses),
    )
}

fn block(text: &str) -> String {
    format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", html_lines(text.trim_end()))
}

fn parameters(rows: &[TableRow]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    format!("<h4>Parameters</h4>\n{}", table("Parameters", rows))
}

/// A table that scrolls by itself on narrow screens.
fn table(label: &str, rows: &[TableRow]) -> String {
    let has_place = rows.iter().any(|row| row.location.is_some());
    let location = if has_place { "<th scope=\"col\">In</th>" } else { "" };
    let rows: String = rows.iter().map(row).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"members\">\n\
         <thead><tr><th scope=\"col\">Name</th>{location}<th scope=\"col\">Type</th><th scope=\"col\">Meaning</th></tr></thead>\n\
         <tbody>\n{rows}</tbody></table></div>\n",
        html(label)
    )
}

fn row(row: &TableRow) -> String {
    let location = row
        .location
        .as_deref()
        .map(|location| format!("<td>{}</td>", html(location)))
        .unwrap_or_default();
    let optional = if row.is_required { "" } else { " <small>optional</small>" };
    format!(
        "<tr><th scope=\"row\"><code>{}</code>{optional}</th>{location}<td>{}</td><td>{}</td></tr>\n",
        html(&row.name),
        kind(&row.kind),
        html_sentence(&row.description)
    )
}

fn kind(kind: &TypeLabel) -> String {
    let schema = kind.schema.as_deref().map(|name| {
        let name = html(name);
        format!("<a href=\"#schema-{name}\">{name}</a>")
    });
    format!("{}{}{}", html_sentence(&kind.before), schema.unwrap_or_default(), html(&kind.after))
}

fn request(body: &RequestBody) -> String {
    format!(
        "<h4>Body</h4>\n<p><code>{}</code>, {}{} {}</p>\n{}",
        html(&body.media_type),
        kind(&body.kind),
        if body.description.is_empty() { "" } else { "." },
        html_sentence(&body.description),
        block(&body.example)
    )
}

fn responses(responses: &[ResponsePart]) -> String {
    let (common, own): (Vec<&ResponsePart>, Vec<&ResponsePart>) =
        responses.iter().partition(|response| response.is_common);
    let items: String = own.into_iter().map(response).collect();
    let common: Vec<String> = common.into_iter().map(common_response).collect();
    format!(
        "<h4>Answers</h4>\n<dl class=\"answers\">\n{items}</dl>\n<p class=\"common\">As any operation: {}</p>\n",
        common.join(", ")
    )
}

/// The status of an answer that any operation may give, and its code.
fn common_response(response: &ResponsePart) -> String {
    let codes = ErrorCode::ALL.iter().map(|code| code.as_str());
    let code =
        codes.into_iter().find(|code| response.description.starts_with(&format!("`{code}`")));
    let code = code.unwrap_or_default();
    format!("{} <a href=\"#error-{code}\"><code>{code}</code></a>", html(&response.status))
}

fn response(response: &ResponsePart) -> String {
    let class = match response.status.as_bytes().first() {
        Some(b'2') => "pass",
        Some(b'3') => "none",
        Some(b'4') => "warn",
        _ => "fail",
    };
    let body = response.kind.as_ref().filter(|_| class == "pass");
    let body = body.map(|body| format!("<p>Body: {}</p>\n", kind(body))).unwrap_or_default();
    let headers: Vec<String> =
        response.headers.iter().map(|name| format!("<code>{}</code>", html(name))).collect();
    let headers = match headers.as_slice() {
        [] => String::new(),
        headers => format!("<p class=\"headers\">Headers: {}</p>\n", headers.join(", ")),
    };
    let example = response.example.as_deref().map(|example| {
        format!("<details><summary>Example</summary>\n{}</details>\n", block(example))
    });
    format!(
        "<dt><b class=\"{class}\">{}</b></dt>\n<dd>{}{body}{headers}{}</dd>\n",
        html(&response.status),
        linked_codes(&prose(&response.description)),
        example.unwrap_or_default()
    )
}

/// Leads from a code to its row.
fn linked_codes(text: &str) -> String {
    ErrorCode::ALL.iter().fold(text.to_owned(), |text, code| {
        let name = code.as_str();
        let word = format!("<p><code>{name}</code>");
        text.replace(&word, &format!("<p><a href=\"#error-{name}\"><code>{name}</code></a>"))
    })
}

fn codes() -> String {
    let rows: String = ErrorCode::ALL
        .iter()
        .map(|code| {
            let name = code.as_str();
            format!(
                "<tr id=\"error-{name}\"><th scope=\"row\"><code>{name}</code></th><td>{}</td><td>{}</td></tr>\n",
                status_of(*code).as_u16(),
                html_sentence(code.meaning())
            )
        })
        .collect();
    format!(
        "<h2 id=\"errors\">Errors</h2>\n\
         <p>Every answer that is no success has one body, <a href=\"#schema-Error\">Error</a>. Rely on <code>code</code>: \
         it stays. <code>message</code> and <code>hint</code> are for people, in the language of <code>lang</code>.</p>\n\
         <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Error codes\"><table class=\"members\">\n\
         <thead><tr><th scope=\"col\">Code</th><th scope=\"col\">Status</th><th scope=\"col\">Meaning</th></tr></thead>\n\
         <tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn schema_part(schema: &SchemaPart) -> String {
    let name = html(&schema.name);
    let mut text = format!(
        "<section aria-labelledby=\"schema-{name}\">\n\
         <h3 id=\"schema-{name}\">{name} <a class=\"anchor\" href=\"#schema-{name}\" aria-label=\"Link to {name}\">#</a></h3>\n"
    );
    // The codes have a table of their own.
    if schema.name == "ErrorCode" {
        text.push_str("<p>One of the <a href=\"#errors\">codes</a>.</p>\n</section>\n");
        return text;
    }
    text.push_str(&prose(&schema.description));
    if !schema.values.is_empty() {
        let values: Vec<String> =
            schema.values.iter().map(|value| format!("<code>{}</code>", html(value))).collect();
        text.push_str(&format!("<p>{}</p>\n", values.join(" ")));
    }
    if !schema.rows.is_empty() {
        text.push_str(&table(&schema.name, &schema.rows));
    }
    text.push_str("</section>\n");
    text
}
