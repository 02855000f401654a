//! The reports of several sites in one Markdown file, behind an overview.

use crate::report::junit::FailedTarget;
use crate::report::labels::{Labels, sign};
use crate::report::markdown::parts::{cell, header, joined, lower, prose, row};
use crate::report::markdown::sections;
use crate::report::scale::worst_problem;
use crate::scan::result::ScanResult;
use crate::text::escape::{MarkdownContext, markdown_code};
use crate::text::locale::Lang;

/// Renders results, each in its own language, behind an overview in this one. Sites without a result say why.
pub fn render(results: &[Result<&ScanResult, &FailedTarget>], lang: Lang) -> String {
    let labels = Labels::new(lang);
    let title = labels.sentence("sites-title", &[("count", &results.len())]);
    let mut text = format!("# {title}\n\n{}", overview(results, labels));
    for (index, result) in results.iter().enumerate() {
        let Ok(result) = result else { continue };
        let number = index + 1;
        let report = lower(&joined(sections(result)));
        let domain = prose(&result.domain);
        text.push_str(&format!("\n<a id=\"site-{number}\"></a>\n\n## {domain}\n\n{report}"));
    }
    text
}

fn overview(results: &[Result<&ScanResult, &FailedTarget>], labels: Labels) -> String {
    let mut text = header(&[
        (&labels.label("site"), false),
        (&labels.label("score"), true),
        (&labels.label("tier"), false),
        (&labels.label("worst-problem"), false),
    ]);
    for (index, result) in results.iter().enumerate() {
        let cells = match result {
            Ok(result) => reached(result, index + 1),
            Err(missing) => [
                markdown_code(&missing.name, MarkdownContext::Cell),
                "–".to_owned(),
                labels.label("no-result"),
                cell(&missing.message),
            ],
        };
        text.push_str(&row(&cells));
    }
    text
}

fn reached(result: &ScanResult, number: usize) -> [String; 4] {
    let labels = Labels::for_result(result);
    let tier = match (&result.tier_label, &result.tier) {
        (Some(label), _) => label.clone(),
        (None, Some(tier)) => labels.tier(tier),
        (None, None) => labels.label("no-score"),
    };
    let problem = worst_problem(result).map_or_else(
        || labels.label("no-problem"),
        |(status, title, _)| format!("{} {}", sign(status), cell(title)),
    );
    [
        format!("[{}](#site-{number})", cell(&result.domain)),
        result.score.map_or_else(|| "–".to_owned(), |score| score.to_string()),
        cell(&tier),
        problem,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_overview_leads_to_each_site_and_names_those_without_a_result() {
        let result = sample::with_files();
        let missing = FailedTarget {
            name: "gone|.example.com".to_owned(),
            code: "UNREACHABLE".to_owned(),
            message: "Nothing answers".to_owned(),
        };
        let text = render(&[Ok(&result), Err(&missing)], Lang::En);
        assert!(text.starts_with("# Agent readiness of 2 sites\n"), "{text}");
        assert!(text.contains("| [shop.example.com](#site-1) | 50 |"), "{text}");
        assert!(
            text.contains("| `gone\\|.example.com` | – | no result | Nothing answers |"),
            "{text}"
        );
        assert!(text.contains("<a id=\"site-1\"></a>\n\n## shop.example.com\n"), "{text}");
        assert!(text.contains("\n### What to fix first, by gain for effort\n"), "{text}");
    }
}
