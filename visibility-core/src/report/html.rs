//! A report as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod agents;
mod checks;

use crate::report::escape::{html, html_sentence};
use crate::report::words::{Words, points};
use crate::scan::result::{CategoryResult, ScanResult};

const STYLE: &str = include_str!("html/style.css");

/// Renders a result in its own language.
pub fn render(result: &ScanResult) -> String {
    let words = Words::for_result(result);
    let title = html(&words.sentence("title", &[("domain", &result.domain)]));
    let lang = words.lang();
    let sections = [
        head(result, words),
        held_down(result, words),
        categories(result, words),
        fix_plan(result, words),
        checks::section(result, words),
        agents::section(result, words),
        observations(result, words),
    ];
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         {}</main>\n{}</body>\n</html>\n",
        sections.concat(),
        foot(result, words)
    )
}

/// Opens `main`, after the banner.
fn head(result: &ScanResult, words: Words) -> String {
    let tier = result.tier.as_deref().unwrap_or("none");
    let label = match (&result.tier_label, &result.tier) {
        (Some(label), _) => label.clone(),
        (None, Some(tier)) => words.tier(tier),
        (None, None) => words.label("no-score"),
    };
    let confidence =
        words.sentence("confidence", &[("level", &words.confidence(&result.confidence))]);
    let surfaces: Vec<String> =
        result.profile.surfaces.iter().map(|surface| words.surface(*surface)).collect();
    let profile = words.sentence("profile", &[("surfaces", &surfaces.join(", "))]);
    let reasons: String = result
        .profile
        .reasons
        .iter()
        .map(|reason| {
            let surface = html(&words.surface(reason.surface));
            format!("<li>{surface}: {}</li>", html_sentence(&reason.text))
        })
        .collect();
    format!(
        "<header class=\"banner\">\n{}<div>\n<p class=\"eyebrow\">{}</p>\n<h1>{}</h1>\n\
         <p class=\"tier tier-{}\">{}</p>\n<p>{}</p>\n\
         <details class=\"plain\"><summary>{}</summary><ul>{reasons}</ul></details>\n</div>\n</header>\n<main>\n",
        ring(result, words),
        html(&words.label("badge")),
        html(&result.domain),
        html(tier),
        html(&label),
        html(&confidence),
        html(&profile),
    )
}

/// The score as a ring; without a score, nothing.
fn ring(result: &ScanResult, words: Words) -> String {
    let Some(score) = result.score else { return String::new() };
    let tier = html(result.tier.as_deref().unwrap_or("none"));
    let label = html(&words.label("score"));
    format!(
        "<svg class=\"ring tier-{tier}\" viewBox=\"0 0 120 120\" role=\"img\" aria-label=\"{label}: {score} / 100\">\n\
         <circle class=\"track\" cx=\"60\" cy=\"60\" r=\"52\"/>\n\
         <circle class=\"value\" cx=\"60\" cy=\"60\" r=\"52\" pathLength=\"100\" stroke-dasharray=\"{score} 100\"/>\n\
         <text x=\"60\" y=\"66\" class=\"number\">{score}</text><text x=\"60\" y=\"84\" class=\"of\">/ 100</text>\n</svg>\n"
    )
}

fn held_down(result: &ScanResult, words: Words) -> String {
    let mut text = String::new();
    if !result.caps.is_empty() {
        let heading = html(&words.label("held-down"));
        text.push_str(&format!(
            "<section aria-labelledby=\"caps\">\n<h2 id=\"caps\">{heading}</h2>\n"
        ));
        for cap in &result.caps {
            text.push_str(&format!("<p class=\"cap\">{}</p>\n", html_sentence(&cap.text)));
        }
        text.push_str("</section>\n");
    }
    if let Some(next) = &result.next_tier {
        let heading = html(&words.sentence("next-tier", &[("label", &next.label)]));
        let missing: String =
            next.missing.iter().map(|m| format!("<li>{}</li>\n", html_sentence(m))).collect();
        text.push_str(&format!(
            "<section aria-labelledby=\"next\">\n<h2 id=\"next\">{heading}</h2>\n<ul>\n{missing}</ul>\n</section>\n"
        ));
    }
    text
}

fn categories(result: &ScanResult, words: Words) -> String {
    let rows: String =
        result.categories.iter().filter(|c| c.max_points > 0).map(category_row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let heading = html(&words.label("categories"));
    format!(
        "<section aria-labelledby=\"categories\">\n<h2 id=\"categories\">{heading}</h2>\n<dl class=\"bars\">\n{rows}</dl>\n</section>\n"
    )
}

fn category_row(category: &CategoryResult) -> String {
    let share = (100.0 * category.points / f64::from(category.max_points)).clamp(0.0, 100.0);
    format!(
        "<div><dt>{}</dt><dd><span class=\"bar\" aria-hidden=\"true\"><span style=\"width:{share:.0}%\"></span></span> <b>{} / {}</b></dd></div>\n",
        html(&category.title),
        points(category.points),
        category.max_points
    )
}

fn fix_plan(result: &ScanResult, words: Words) -> String {
    if result.fix_plan.is_empty() {
        return String::new();
    }
    let rows: String = result
        .fix_plan
        .iter()
        .map(|item| {
            format!(
                "<tr><th scope=\"row\"><a href=\"#check-{}\">{}</a></th><td class=\"number\">+{}</td><td>{}</td><td>{}</td></tr>\n",
                html(&item.check),
                html(&item.title),
                points(item.points),
                html(&words.effort(item.effort)),
                html_sentence(&item.hint)
            )
        })
        .collect();
    let heading = html(&words.label("fix-plan"));
    format!(
        "<section aria-labelledby=\"plan\">\n<h2 id=\"plan\">{heading}</h2>\n{}{rows}</tbody></table></div>\n</section>\n",
        table_start(
            "plan",
            &[
                (words.label("check"), false),
                (words.label("points"), true),
                (words.label("effort"), false),
                (words.label("what-to-do"), false),
            ]
        )
    )
}

/// Opens a table that scrolls by itself on narrow screens.
fn table_start(labelled_by: &str, columns: &[(String, bool)]) -> String {
    let cells: String = columns
        .iter()
        .map(|(title, is_number)| {
            let class = if *is_number { " class=\"number\"" } else { "" };
            format!("<th scope=\"col\"{class}>{}</th>", html(title))
        })
        .collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{labelled_by}\"><table><thead><tr>{cells}</tr></thead>\n<tbody>\n"
    )
}

fn observations(result: &ScanResult, words: Words) -> String {
    if result.observations.is_empty() {
        return String::new();
    }
    let items: String = result
        .observations
        .iter()
        .map(|observation| {
            let url = observation
                .url
                .as_ref()
                .map_or_else(String::new, |url| format!(" <code>{}</code>", html(url)));
            format!("<li>{}{url}</li>\n", html_sentence(&observation.text))
        })
        .collect();
    let heading = html(&words.label("observations"));
    format!(
        "<section aria-labelledby=\"observations\">\n<h2 id=\"observations\">{heading}</h2>\n<ul>\n{items}</ul>\n</section>\n"
    )
}

fn foot(result: &ScanResult, words: Words) -> String {
    let made =
        words.sentence("made", &[("rubric", &result.rubric_version), ("time", &result.scanned_at)]);
    format!("<footer>\n<p>{} · {}</p>\n</footer>\n", html(&made), html(&words.cost(result)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_report_is_stable() {
        insta::assert_snapshot!(render(&sample::hostile()));
    }

    #[test]
    fn strangers_text_is_text() {
        let text = render(&sample::hostile());
        assert!(!text.contains("<script"), "{text}");
        assert!(!text.contains("\"javascript:"), "{text}");
        assert!(!text.contains(['\u{1b}', '\u{202e}']));
        assert!(text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    }

    #[test]
    fn the_file_asks_for_nothing_else() {
        let text = render(&sample::hostile());
        for asking in ["src=", "@import", "url(", "<link", "<iframe", "<img"] {
            assert!(!text.contains(asking), "{asking}");
        }
    }

    #[test]
    fn every_word_was_found() {
        let text = render(&sample::hostile());
        assert!(!text.contains("interface."), "{text}");
    }
}
