//! `docs/signals.md`, made from the rubric of the audit and its English texts.

use std::fmt::{self, Write as _};

use visibility_core::audit::profile::Profile;
use visibility_core::audit::score::RUBRIC_VERSION;
use visibility_core::audit::signal::{Pillar, Signal};
use visibility_core::audit::signals;
use visibility_core::text::locale::{Catalog, Lang};

const INTRODUCTION: &str = "\
Look up what a signal of the audit means, why it matters, how it is decided and how to fix it. The program shows the same:

```console
$ visibility explain answer-first
```

A signal sees only one page, its robots.txt, what the sitemap says about the page, and the time. It earns a credit between
0 and 1, see [the audit](audit.md). Weights are points of 100, for each kind of page.

Grades of evidence: A is documented by the engines, B shown by a controlled experiment, C observed, advised by an engine or
in dispute. Folklore (D) is never scored.

This page is generated from the rubric and its texts: `cargo run --bin generate-documents`.
";

/// What was measured.
const FIRINGS: &str = include_str!("signals_page/firings.md");

/// The whole page.
pub fn render() -> String {
    let mut page = String::new();
    write_page(&mut page).expect("a string takes everything");
    page
}

fn write_page(page: &mut String) -> fmt::Result {
    let catalog = Catalog::for_lang(Lang::En);
    writeln!(
        page,
        "# The signals of a page audit\n\nRubric `{RUBRIC_VERSION}`.\n\n{INTRODUCTION}"
    )?;
    let kinds = Profile::ALL.map(Profile::as_str).join(" | ");
    writeln!(page, "| Signal | Code | Pillar | {kinds} | Grade |")?;
    writeln!(page, "|---|---|---|{}---|", "---|".repeat(Profile::ALL.len()))?;
    for signal in signals::all() {
        let (id, code) = (signal.id, signal.code);
        let weights = Profile::ALL.map(|kind| points(signal.weights.for_profile(kind))).join(" | ");
        let (pillar, grade) = (signal.pillar.as_str(), signal.grade.as_str());
        writeln!(page, "| [`{id}`](#{id}) | {code} | {pillar} | {weights} | {grade} |")?;
    }
    page.push_str(FIRINGS);
    for pillar in Pillar::ALL {
        writeln!(page, "\n## {}", catalog.text(&["pillars", pillar.as_str()]))?;
        for signal in signals::all().filter(|signal| signal.pillar == pillar) {
            write_signal(page, signal, catalog)?;
        }
    }
    Ok(())
}

fn write_signal(page: &mut String, signal: &Signal, catalog: &Catalog) -> fmt::Result {
    let text = |key: &str| catalog.text(&["signals", signal.id, key]);
    writeln!(page, "\n### {}\n\n**{}.** {}\n", signal.id, text("title"), text("why"))?;
    writeln!(page, "{}\n", text("logic"))?;
    writeln!(page, "| Outcome | Verdict | Text | Fix |\n|---|---|---|---|")?;
    for outcome in signal.outcomes {
        let sentence = |kind| {
            let path = ["signals", signal.id, "outcomes", outcome.id, kind];
            let found = catalog.template(&path).unwrap_or_default();
            found.replace('|', "\\|").replace('<', "\\<").replace('\n', " ")
        };
        let verdict = outcome.verdict.as_str();
        let (says, fix) = (sentence("text"), sentence("fix"));
        writeln!(page, "| `{}` | {verdict} | {says} | {fix} |", outcome.id)?;
    }
    let sources = signal.sources.iter().map(|spec| format!("[{}]({})", spec.name, spec.url));
    writeln!(page, "\nSources: {}.", sources.collect::<Vec<_>>().join(", "))
}

/// Points without needless digits.
fn points(tenths: u32) -> String {
    if tenths.is_multiple_of(10) {
        format!("{}", tenths / 10)
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}
