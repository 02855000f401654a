//! A report as one HTML file: no scripts, no foreign requests, fit for print, light and dark.

mod agents;
mod checks;
pub(super) mod frame;

use crate::report::escape::{html, html_sentence};
use crate::report::html::frame::{Document, bar, bars, caps, ring, section, table_start};
use crate::report::words::{Words, points};
use crate::scan::result::ScanResult;

/// Renders a result in its own language.
pub fn render(result: &ScanResult) -> String {
    let words = Words::for_result(result);
    let document = Document {
        lang: words.lang(),
        title: &words.sentence("title", &[("domain", &result.domain)]),
        banner: &banner(result, words),
        foot: &foot(result, words),
    };
    document.render(&[
        held_down(result, words),
        categories(result, words),
        fix_plan(result, words),
        checks::section(result, words),
        agents::section(result, words),
        observations(result, words),
    ])
}

fn banner(result: &ScanResult, words: Words) -> String {
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
         <details class=\"plain\"><summary>{}</summary><ul>{reasons}</ul></details>\n</div>\n</header>\n",
        result.score.map_or_else(String::new, |score| {
            ring(score, &format!("tier-{tier}"), &words.label("score"))
        }),
        html(&words.label("badge")),
        html(&result.domain),
        html(tier),
        html(&label),
        html(&confidence),
        html(&profile),
    )
}

fn held_down(result: &ScanResult, words: Words) -> String {
    let reasons = result.caps.iter().map(|cap| cap.text.as_str());
    let mut text = caps("caps", &words.label("held-down"), reasons);
    if let Some(next) = &result.next_tier {
        let heading = words.sentence("next-tier", &[("label", &next.label)]);
        let missing: String =
            next.missing.iter().map(|m| format!("<li>{}</li>\n", html_sentence(m))).collect();
        text.push_str(&section("next", &heading, &format!("<ul>\n{missing}</ul>\n")));
    }
    text
}

fn categories(result: &ScanResult, words: Words) -> String {
    let counted = result.categories.iter().filter(|category| category.max_points > 0);
    let rows: String =
        counted.map(|one| bar(&one.title, one.points, f64::from(one.max_points))).collect();
    bars("categories", &words.label("categories"), &rows)
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
    let columns = [
        (words.label("check"), false),
        (words.label("points"), true),
        (words.label("effort"), false),
        (words.label("what-to-do"), false),
    ];
    let table = format!("{}{rows}</tbody></table></div>\n", table_start("plan", &columns));
    section("plan", &words.label("fix-plan"), &table)
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
    let heading = words.label("observations");
    section("observations", &heading, &format!("<ul>\n{items}</ul>\n"))
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
