//! The audits of several pages in one Markdown file, behind an overview.

use crate::audit::result::AuditResult;
use crate::report::audit::markdown::sections;
use crate::report::audit::overview::{BINS, MAX_BYTES, MAX_NAMED, Overview, SharedText};
use crate::report::audit::{self};
use crate::report::junit::FailedTarget;
use crate::report::labels::{Labels, points};
use crate::report::markdown::parts::{cell, header, joined, lower, prose, row, start};
use crate::text::escape::{MarkdownContext, markdown_code};
use crate::text::locale::Lang;

/// Renders results, each in its own language, behind an overview in this one.
pub fn render(results: &[Result<&AuditResult, &FailedTarget>], lang: Lang) -> String {
    let labels = Labels::new(lang);
    let overview = Overview::new(results);
    let title = labels.sentence("pages-title", &[("count", &results.len())]);
    let before = |reports: usize| {
        joined([
            format!("# {title}\n"),
            distribution(&overview, labels),
            pages(&overview, reports, labels),
            groups(&overview, labels),
            shared("same-title", &overview.titles, labels),
            shared("same-description", &overview.descriptions, labels),
            lost(&overview, labels),
        ])
    };
    // With links to reports, what is before them is longest.
    let room = MAX_BYTES.saturating_sub(before(usize::MAX).len());
    let reports = overview.reports(room, report);
    [before(reports.len()), reports.concat()].concat()
}

fn report(number: usize, result: &AuditResult) -> String {
    let report = lower(&joined(sections(result)));
    let url = prose(&result.url);
    format!("\n<a id=\"page-{number}\"></a>\n\n## {url}\n\n{report}")
}

fn distribution(overview: &Overview<'_>, labels: Labels) -> String {
    let mut text = format!("## {}\n\n", labels.label("distribution"));
    text.push_str(&header(&[(&labels.label("score"), false), (&labels.label("pages"), true)]));
    for (at, count) in overview.bins.iter().enumerate() {
        let to = if at + 1 == BINS { 100 } else { at * 10 + 9 };
        text.push_str(&row(&[format!("{}–{to}", at * 10), count.to_string()]));
    }
    text
}

fn pages(overview: &Overview<'_>, reports: usize, labels: Labels) -> String {
    let mut text = format!("## {}\n\n", labels.label("overview"));
    text.push_str(&header(&[
        (&labels.label("page"), false),
        (&labels.label("score"), true),
        (&labels.label("grade"), false),
        (&labels.label("kind"), false),
        (&labels.label("worst-problem"), false),
    ]));
    for (at, (number, result)) in overview.pages.iter().enumerate() {
        let url = cell(&result.url);
        let kind = result.profile.as_ref().map_or("–", |profile| profile.label.as_str());
        let problem = audit::lost::worst(result).first().map_or("–", |worst| &worst.title);
        text.push_str(&row(&[
            if at < reports { format!("[{url}](#page-{number})") } else { url },
            result.gpt_visibility_score.to_string(),
            cell(&audit::band(result, Labels::for_lang(&result.lang))),
            cell(kind),
            cell(problem),
        ]));
    }
    for missing in &overview.missing {
        text.push_str(&row(&[
            markdown_code(&missing.name, MarkdownContext::Cell),
            "–".to_owned(),
            labels.label("no-result"),
            "–".to_owned(),
            cell(&missing.message),
        ]));
    }
    if overview.pages.len() > reports {
        let note = labels.sentence("reports-of-the-lowest", &[("count", &reports)]);
        text.push_str(&format!("\n{}\n", start(&note)));
    }
    text
}

fn groups(overview: &Overview<'_>, labels: Labels) -> String {
    if overview.groups.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", labels.label("groups"));
    text.push_str(&header(&[
        (&labels.label("address-form"), false),
        (&labels.label("pages"), true),
        (&labels.label("median"), true),
        (&labels.label("worst-problem"), false),
    ]));
    for group in &overview.groups {
        text.push_str(&row(&[
            markdown_code(&group.form, MarkdownContext::Cell),
            group.pages.to_string(),
            group.median.to_string(),
            cell(group.worst.as_deref().unwrap_or("–")),
        ]));
    }
    text
}

fn shared(label: &str, all: &[SharedText<'_>], labels: Labels) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", labels.label(label));
    for shared in all {
        let count = format!("{}: {}", labels.label("pages"), shared.pages.len());
        text.push_str(&format!("- {} ({count})\n", start(shared.text)));
        for (_, result) in shared.pages.iter().take(MAX_NAMED) {
            text.push_str(&format!("  - {}\n", start(&result.url)));
        }
    }
    text
}

fn lost(overview: &Overview<'_>, labels: Labels) -> String {
    let losses = overview.lost.signals();
    if losses.is_empty() {
        return String::new();
    }
    let mut text = format!("## {}\n\n", labels.label("lost-signals"));
    for (cap, pages) in overview.lost.caps() {
        let line = format!(
            "{}: {} · {}: {pages}",
            labels.audit("gate"),
            cap.as_str(),
            labels.label("pages")
        );
        text.push_str(&format!("> - {}\n", start(&line)));
    }
    if overview.lost.caps().next().is_some() {
        text.push('\n');
    }
    text.push_str(&header(&[
        (&labels.label("code"), false),
        (&labels.audit("signal"), false),
        (&labels.label("pages"), true),
        (&labels.label("lost-points"), true),
    ]));
    for loss in losses {
        text.push_str(&row(&[
            cell(&loss.code),
            cell(&loss.title),
            loss.pages.to_string(),
            points(loss.points),
        ]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;

    #[test]
    fn the_overview_leads_to_each_page_and_names_what_has_no_result() {
        let (result, refused) = (sample::hostile(), sample::refused());
        let missing = FailedTarget {
            name: "gone|.html".to_owned(),
            code: "UNREADABLE".to_owned(),
            message: "No such file".to_owned(),
        };
        let text = render(&[Ok(&result), Err(&missing), Ok(&refused)], Lang::En);
        assert!(text.starts_with("# AI visibility of 3 pages\n"), "{text}");
        assert!(text.contains("](#page-1) | 35 |"), "{text}");
        assert!(text.contains("| `gone\\|.html` | – | no result | – | No such file |"), "{text}");
        assert_eq!(text.matches("<a id=\"page-").count(), 2);
        for path in ["interface.", "audit.labels", "audit.sentences"] {
            assert!(!text.contains(path), "{path}");
        }
    }

    #[test]
    fn of_many_pages_the_lowest_have_reports_and_all_are_named() {
        let one = sample::hostile();
        let many: Vec<Result<&AuditResult, &FailedTarget>> = vec![Ok(&one); 1_000];
        let text = render(&many, Lang::En);
        let reports = text.matches("<a id=\"page-").count();
        assert!((10..1_000).contains(&reports), "{reports}");
        assert!(text.len() <= MAX_BYTES, "{}", text.len());
        assert_eq!(text.matches("](#page-").count(), reports);
        assert!(text.contains(&format!("The {reports} pages with the lowest scores")));
    }
}
