//! The audits of several pages in one HTML file, behind an overview.

use crate::audit::result::AuditResult;
use crate::report::audit::html::{banner, foot, sections};
use crate::report::audit::overview::{BINS, MAX_NAMED, MAX_REPORTS, Overview, SharedText};
use crate::report::audit::{self};
use crate::report::html::frame::{Frame, HtmlDocument};
use crate::report::junit::FailedTarget;
use crate::report::labels::{Labels, points};
use crate::text::escape::{html, html_sentence};
use crate::text::locale::Lang;

/// Renders results, each in its own language, behind an overview in this one.
pub fn render(results: &[Result<&AuditResult, &FailedTarget>], lang: Lang) -> String {
    let labels = Labels::new(lang);
    let title = labels.sentence("pages-title", &[("count", &results.len())]);
    let overview = Overview::new(results);
    let frame = Frame::alone(labels);
    let mut parts = vec![
        distribution(&overview, &frame),
        pages(&overview, &frame),
        groups(&overview, &frame),
        shared("titles", "same-title", &overview.titles, &frame),
        shared("descriptions", "same-description", &overview.descriptions, &frame),
        lost(&overview, &frame),
    ];
    let reports = overview.pages.iter().take(MAX_REPORTS);
    parts.extend(reports.map(|(number, result)| part(result, *number)));
    let banner = format!(
        "<header class=\"banner\">\n<div>\n<p class=\"eyebrow\">{}</p>\n<h1>{}</h1>\n</div>\n</header>\n",
        html(&labels.audit("badge")),
        html(&title)
    );
    HtmlDocument { lang, title: &title, banner: &banner, foot: "" }.render(&parts)
}

/// The scores by tens of points, drawn and in numbers.
fn distribution(overview: &Overview<'_>, frame: &Frame) -> String {
    let labels = frame.labels;
    let most = overview.bins.iter().copied().max().unwrap_or_default().max(1);
    let rows: String = overview.bins.iter().enumerate().map(|(at, count)| {
        let (from, to) = (at * 10, if at + 1 == BINS { 100 } else { at * 10 + 9 });
        let width = count * 100 / most;
        format!(
            "<tr><th scope=\"row\">{from}–{to}</th><td class=\"number\">{count}</td>\
             <td class=\"chart\"><span class=\"bar\" aria-hidden=\"true\"><span style=\"width:{width}%\"></span></span></td></tr>\n"
        )
    }).collect();
    let columns = [
        (labels.label("score"), false),
        (labels.label("pages"), true),
        (labels.label("distribution"), false),
    ];
    let table =
        format!("{}{rows}</tbody></table></div>\n", frame.table_start("distribution", &columns));
    frame.section("distribution", &labels.label("distribution"), &table)
}

/// All pages, lowest score first, and those without a result.
fn pages(overview: &Overview<'_>, frame: &Frame) -> String {
    let labels = frame.labels;
    let columns = [
        (labels.label("page"), false),
        (labels.label("score"), true),
        (labels.label("grade"), false),
        (labels.label("kind"), false),
        (labels.label("worst-problem"), false),
    ];
    let rows: String = overview.pages.iter().enumerate().map(|(at, (number, result))| {
        let name = name(*number, result, at < MAX_REPORTS);
        let class = result.band.as_deref().unwrap_or("none");
        let kind = result.profile.as_ref().map_or("–", |profile| profile.label.as_str());
        let problem = audit::lost::worst(result).first().map_or("–", |worst| &worst.title);
        format!(
            "<tr><th scope=\"row\">{name}</th><td class=\"number\">{}</td><td class=\"tier-name band-{}\">{}</td><td>{}</td><td>{}</td></tr>\n",
            result.gpt_visibility_score,
            html(class),
            html(&audit::band(result, Labels::for_lang(&result.lang))),
            html(kind),
            html(problem),
        )
}).collect();
    let missing: String = overview
        .missing
        .iter()
        .map(|missing| {
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">–</td><td class=\"fail\">{}</td><td>–</td><td>{}</td></tr>\n",
                html(&missing.name),
                html(&labels.label("no-result")),
                html_sentence(&missing.message)
            )
        })
        .collect();
    let note = (overview.pages.len() > MAX_REPORTS).then(|| {
        let text = labels.sentence("reports-of-the-lowest", &[("count", &MAX_REPORTS)]);
        format!("<p class=\"note\">{}</p>\n", html(&text))
    });
    let table = format!(
        "{}{rows}{missing}</tbody></table></div>\n{}",
        frame.table_start("overview", &columns),
        note.unwrap_or_default()
    );
    frame.section("overview", &labels.label("overview"), &table)
}

/// The address of a page, as a link to its report if there is one.
fn name(number: usize, result: &AuditResult, has_report: bool) -> String {
    let url = html(&result.url);
    if has_report { format!("<a href=\"#page-{number}\">{url}</a>") } else { url }
}

fn groups(overview: &Overview<'_>, frame: &Frame) -> String {
    if overview.groups.is_empty() {
        return String::new();
    }
    let labels = frame.labels;
    let columns = [
        (labels.label("address-form"), false),
        (labels.label("pages"), true),
        (labels.label("median"), true),
        (labels.label("worst-problem"), false),
    ];
    let rows: String = overview
        .groups
        .iter()
        .map(|group| {
            format!(
                "<tr><th scope=\"row\"><code>{}</code></th><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                html(&group.form),
                group.pages,
                group.median,
                html(group.worst.as_deref().unwrap_or("–")),
            )
        })
        .collect();
    let table = format!("{}{rows}</tbody></table></div>\n", frame.table_start("groups", &columns));
    frame.section("groups", &labels.label("groups"), &table)
}

/// Texts that several pages have, and which.
fn shared(id: &str, label: &str, all: &[SharedText<'_>], frame: &Frame) -> String {
    if all.is_empty() {
        return String::new();
    }
    let items: String = all
        .iter()
        .map(|shared| {
            let named = shared.pages.iter().take(MAX_NAMED);
            let named: String =
                named.map(|(_, result)| format!("<li>{}</li>\n", html(&result.url))).collect();
            format!(
                "<li>{} <span class=\"earned\">{}: {}</span>\n<ul>\n{named}</ul>\n</li>\n",
                html(shared.text),
                html(&frame.labels.label("pages")),
                shared.pages.len()
            )
        })
        .collect();
    frame.section(id, &frame.labels.label(label), &format!("<ul>\n{items}</ul>\n"))
}

/// The signals that cost most.
fn lost(overview: &Overview<'_>, frame: &Frame) -> String {
    let labels = frame.labels;
    let losses = overview.lost.signals();
    if losses.is_empty() {
        return String::new();
    }
    let caps: String = overview
        .lost
        .caps()
        .map(|(cap, pages)| {
            format!(
                "<p class=\"cap\">{}: {} · {}: {pages}</p>\n",
                html(&labels.audit("gate")),
                html(cap.as_str()),
                html(&labels.label("pages"))
            )
        })
        .collect();
    let columns = [
        (labels.label("code"), false),
        (labels.audit("signal"), false),
        (labels.label("pages"), true),
        (labels.label("lost-points"), true),
    ];
    let rows: String = losses
        .iter()
        .map(|loss| {
            format!(
                "<tr><td>{}</td><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
                html(&loss.code),
                html(&loss.title),
                loss.pages,
                html(&points(loss.points)),
            )
        })
        .collect();
    let table =
        format!("{caps}{}{rows}</tbody></table></div>\n", frame.table_start("lost", &columns));
    frame.section("lost", &labels.label("lost-signals"), &table)
}

/// The report of one page.
fn part(result: &AuditResult, number: usize) -> String {
    let labels = Labels::for_lang(&result.lang);
    let frame = Frame::one_of_several(labels, number);
    format!(
        "<article class=\"site\" id=\"page-{number}\" lang=\"{}\">\n{}{}<div class=\"made\">\n{}</div>\n</article>\n",
        labels.lang(),
        banner(result, &frame),
        sections(result, &frame).concat(),
        foot(result, labels)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::audit::sample;
    use crate::report::tree::tree;

    fn several() -> String {
        let (first, mut second) = (sample::hostile(), sample::hostile());
        "https://shop.example.com/other".clone_into(&mut second.url);
        let missing = FailedTarget {
            name: "gone.html\u{202e}<script>".to_owned(),
            code: "UNREADABLE".to_owned(),
            message: "No such file".to_owned(),
        };
        render(&[Ok(&first), Err(&missing), Ok(&second), Ok(&sample::refused())], Lang::En)
    }

    #[test]
    fn the_tree_of_several_reports_is_stable() {
        insta::assert_snapshot!(tree(&several()));
    }

    #[test]
    fn the_overview_leads_to_each_page_and_names_what_has_no_result() {
        let text = several();
        for part in ["href=\"#page-1\"", "id=\"page-1\"", "href=\"#page-4\"", "id=\"page-4\""] {
            assert_eq!(text.matches(part).count(), 1, "{part}");
        }
        assert!(text.contains("gone.html &lt;script&gt;"), "{text}");
        assert!(!text.contains("<script") && !text.contains("id=\"page-2\""));
        assert_eq!(text.matches("<h1").count(), 1);
        for path in ["interface.", "audit.labels", "audit.sentences"] {
            assert!(!text.contains(path), "{path}");
        }
    }

    #[test]
    fn every_id_is_there_once_and_every_link_within_leads_somewhere() {
        let text = several();
        let until_quote = |text: &str| text.split('"').next().unwrap_or_default().to_owned();
        let mut ids: Vec<String> = text.split(" id=\"").skip(1).map(until_quote).collect();
        let count = ids.len();
        for target in text.split("href=\"#").skip(1).map(until_quote) {
            assert!(ids.contains(&target), "{target}");
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn of_many_pages_the_lowest_have_reports() {
        let one = sample::hostile();
        let many: Vec<Result<&AuditResult, &FailedTarget>> = vec![Ok(&one); 1_000];
        let text = render(&many, Lang::Tr);
        assert_eq!(text.matches("<article").count(), MAX_REPORTS);
        assert_eq!(text.matches("<th scope=\"row\">https://shop").count(), 1_000 - MAX_REPORTS);
    }
}
