//! The checks, by category, each one to open.

use crate::finding::Verdict;
use crate::report::escape::{html, html_lines, html_sentence};
use crate::report::words::{Words, points, sign};
use crate::scan::result::{CheckResult, EvidenceResult, FixResult, ScanResult, SpecResult};

pub(super) fn section(result: &ScanResult, words: Words) -> String {
    let heading = html(&words.label("checks"));
    let mut text =
        format!("<section aria-labelledby=\"checks\">\n<h2 id=\"checks\">{heading}</h2>\n");
    for category in &result.categories {
        let members: String = result
            .checks
            .iter()
            .filter(|check| check.category == category.id)
            .map(|check| self::check(check, words))
            .collect();
        if !members.is_empty() {
            text.push_str(&format!("<h3>{}</h3>\n{members}", html(&category.title)));
        }
    }
    text.push_str("</section>\n");
    text
}

fn check(check: &CheckResult, words: Words) -> String {
    let open = if matches!(check.status, Verdict::Fail | Verdict::Warn) { " open" } else { "" };
    let earned = match check.credit {
        Some(_) => format!("{} / {}", points(check.points), check.max_points),
        None => "–".to_owned(),
    };
    let mut text = format!(
        "<details class=\"check\" id=\"check-{}\"{open}>\n<summary><span class=\"verdict {}\">{} {}</span> <span class=\"name\">{}</span> <span class=\"earned\">{earned}</span></summary>\n<div>\n<p>{}</p>\n",
        html(&check.id),
        check.status.as_str(),
        sign(check.status),
        html(&words.verdict(check.status)),
        html(&check.title),
        html_sentence(&check.summary),
    );
    if check.signals.len() > 1 {
        text.push_str(&signals(check, words));
    }
    if let Some(fix) = &check.fix {
        text.push_str(&self::fix(fix, words));
    }
    if !check.evidence.is_empty() {
        let rows: String = check.evidence.iter().map(evidence).collect();
        let heading = html(&words.label("evidence"));
        text.push_str(&format!("<h4>{heading}</h4>\n<ul class=\"evidence\">\n{rows}</ul>\n"));
    }
    if !check.why.is_empty() {
        let label = html(&words.label("why"));
        text.push_str(&format!("<p><b>{label}</b> {}</p>\n", html_sentence(&check.why)));
    }
    if !check.applies_because.is_empty() {
        text.push_str(&format!("<p>{}</p>\n", html_sentence(&check.applies_because)));
    }
    let maturity = html(&words.maturity(check.maturity));
    text.push_str(&format!("<p class=\"specs\">{maturity}"));
    text.extend(check.specs.iter().map(spec));
    text.push_str("</p>\n</div>\n</details>\n");
    text
}

/// All but the first, which gave the summary.
fn signals(check: &CheckResult, words: Words) -> String {
    let items: String = check
        .signals
        .iter()
        .skip(1)
        .map(|signal| {
            format!(
                "<li><span class=\"verdict {}\">{} {}</span> {}</li>\n",
                signal.status.as_str(),
                sign(signal.status),
                html(&words.verdict(signal.status)),
                html_sentence(&signal.detail)
            )
        })
        .collect();
    format!("<ul class=\"signals\">\n{items}</ul>\n")
}

fn fix(fix: &FixResult, words: Words) -> String {
    let label = html(&words.label("fix"));
    let mut text = format!("<p class=\"fix\"><b>{label}</b> {}</p>\n", html_sentence(&fix.hint));
    if let Some(snippet) = &fix.snippet {
        text.push_str(&format!("<pre tabindex=\"0\">{}</pre>\n", html_lines(snippet)));
    }
    text
}

fn evidence(evidence: &EvidenceResult) -> String {
    let mut parts =
        vec![format!("<code>{} {}</code>", html(&evidence.method), html(&evidence.url))];
    parts.extend(evidence.status.map(|status| status.to_string()));
    parts.extend(evidence.content_type.as_deref().map(html));
    parts.extend(evidence.bytes.map(|bytes| format!("{bytes} B")));
    parts.extend(evidence.ms.map(|ms| format!("{ms} ms")));
    parts.extend(evidence.note.as_deref().map(html));
    let quote = evidence
        .excerpt
        .as_deref()
        .filter(|text| !text.is_empty())
        .map_or_else(String::new, |text| format!("<br><q>{}</q>", html(text)));
    format!("<li>{}{quote}</li>\n", parts.join(" · "))
}

/// Links go only where a browser asks over TLS: a result may come from a stranger's file.
fn spec(spec: &SpecResult) -> String {
    if spec.url.starts_with("https://") {
        format!(
            " · <a href=\"{}\" rel=\"noopener noreferrer\">{}</a>",
            html(&spec.url),
            html(&spec.name)
        )
    } else {
        format!(" · {}", html(&spec.name))
    }
}
