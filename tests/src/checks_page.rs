//! `docs/checks.md`, made from the rubric and its English texts.

use std::fmt::{self, Write as _};

use visibility_core::scan::check::{Category, Check};
use visibility_core::scan::checks::CHECKS;
use visibility_core::scan::score::RUBRIC_VERSION;
use visibility_core::text::locale::{Catalog, Lang};

const INTRODUCTION: &str = "\
Each check sees the answers of one scan and nothing else. Its verdict is that of the outcome that decided;
what else was seen is listed as signals. `warn` earns half of the weight, `not_applicable` and `unknown` leave
the score alone: see [scoring](scoring.md).

Names from other lists of what agents look for are below the check that covers them. Some things are named
elsewhere and not probed here: Web Bot Auth beyond `Accept-Signature` concerns sites that send bots, DNS-AID
is in the DNS and scans use HTTP only, and the keys of IndexNow cannot be found over HTTP. NLWeb, TDMRep,
`ai.txt` and `AGENTS.md` are reported as observations and score nothing.

We obey a robots.txt group that names `VisibilityBot`, for everything but `/` and `/robots.txt`. A group for
`*` does not bind a scan: the owner or another interested person requested it, and it reads each path once.
A report says so when `*` disallows something that was requested.

This page is made from the rubric and its texts: `cargo run -p visibility-tests --bin checks-page`.
";

/// The whole page.
pub fn render() -> String {
    let mut page = String::new();
    write_page(&mut page).expect("a string takes everything");
    page
}

fn write_page(page: &mut String) -> fmt::Result {
    let catalog = Catalog::for_lang(Lang::En);
    writeln!(page, "# The checks\n\nRubric `{RUBRIC_VERSION}`.\n\n{INTRODUCTION}")?;
    writeln!(page, "| check | category | weight | maturity |\n|---|---|---|---|")?;
    for check in CHECKS {
        let (id, weight) = (check.id, check.weight);
        let (category, maturity) = (check.category.as_str(), check.maturity.as_str());
        writeln!(page, "| [`{id}`](#{id}) | {category} | {weight} | {maturity} |")?;
    }
    for category in Category::ALL {
        writeln!(page, "\n## {}", catalog.text(&["categories", category.as_str()]))?;
        for check in CHECKS.iter().filter(|check| check.category == category) {
            write_check(page, check, catalog)?;
        }
    }
    Ok(())
}

fn write_check(page: &mut String, check: &Check, catalog: &Catalog) -> fmt::Result {
    let text = |key: &str| catalog.text(&["checks", check.id, key]);
    writeln!(page, "\n### {}\n\n**{}.** {}\n", check.id, text("title"), text("why"))?;
    writeln!(page, "{}\n", text("logic"))?;
    let surfaces: Vec<&str> = check.surfaces.iter().map(|surface| surface.as_str()).collect();
    if !surfaces.is_empty() {
        writeln!(page, "Surfaces: {}.\n", surfaces.join(", "))?;
    }
    writeln!(page, "Covers: {}.\n", check.covers.join(", "))?;
    writeln!(page, "| outcome | verdict | what it says | fix |\n|---|---|---|---|")?;
    for outcome in check.outcomes {
        let sentence = |kind| {
            let path = ["checks", check.id, "outcomes", outcome.id, kind];
            cell(&catalog.template(&path).unwrap_or_default())
        };
        let verdict = outcome.verdict.as_str();
        let (says, fix) = (sentence("text"), sentence("fix"));
        writeln!(page, "| `{}` | {verdict} | {says} | {fix} |", outcome.id)?;
    }
    let specs = check.specs.iter().map(|spec| format!("[{}]({})", spec.name, spec.url));
    writeln!(page, "\nFollows: {}.", specs.collect::<Vec<_>>().join(", "))
}

/// A sentence in a cell of a table: bars escaped, placeholders and tags as they are.
fn cell(sentence: &str) -> String {
    sentence.replace('|', "\\|").replace('\n', " ")
}
