//! `docs/checks.md`, made from the rubric and its English texts.

use std::fmt::{self, Write as _};

use visibility_core::scan::check::{Category, Check};
use visibility_core::scan::checks::CHECKS;
use visibility_core::scan::score::RUBRIC_VERSION;
use visibility_core::text::locale::{Catalog, Lang};

const INTRODUCTION: &str = "\
Look up what a check of the scan means, why it matters, how it is decided and how to fix it. The program shows the same:

```console
$ visibility explain sitemap
```

A check sees only the responses of one scan. Its verdict is that of the outcome that decided; other things that it noticed
are listed as signals in the result. `warn` earns half of the weight; `not_applicable` and `unknown` do not affect the
score, see [scoring](scoring.md).

Names that other lists use for the same thing are shown below each check. Some things are not checked: Web Bot Auth beyond
`Accept-Signature`, which applies to sites that send bots; DNS-AID, which is in the DNS, while scans use only HTTP; and the
keys of IndexNow, which cannot be found over HTTP. NLWeb, TDMRep, `ai.txt` and `AGENTS.md` are reported as observations and
not scored.

A scan obeys a robots.txt group that names `VisibilityBot`, for every path but `/` and `/robots.txt`. It does not obey a
group for `*`: the owner or another interested person requested the scan, and it reads each path once. If `*` disallows
something that was requested, the report says so.

This page is generated from the rubric and its texts: `cargo run --bin generate-documents`.
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
    writeln!(page, "| Check | Category | Weight | Maturity |\n|---|---|---|---|")?;
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
        writeln!(page, "Applies to: {}.\n", surfaces.join(", "))?;
    }
    writeln!(page, "Also known as: {}.\n", check.covers.join(", "))?;
    writeln!(page, "| Outcome | Verdict | Text | Fix |\n|---|---|---|---|")?;
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
