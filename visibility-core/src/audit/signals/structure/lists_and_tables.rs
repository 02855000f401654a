//! `lists-and-tables`: facts side by side, where they can be compared.

use std::collections::BTreeSet;

use crate::audit::facts::draft;
use crate::audit::page::AuditedPage;
use crate::audit::prose::key_value;
use crate::audit::signal::KnownLanguages;
use crate::audit::signal::{
    Credit, Grade, Pillar, ScoredFinding, Signal, SnippetFix, SnippetLanguage, Weights,
};
use crate::page::content::{Block, BlockKind};
use crate::rubric::finding::{Evidence, Finding, Outcome};
use crate::rubric::fix::Placement;
use crate::rubric::{Effort, Spec};
use crate::text::escape;
use crate::text::fold::fold_to_ascii;

pub(super) const SIGNAL: Signal = Signal {
    id: "lists-and-tables",
    code: "ST06",
    pillar: Pillar::Structure,
    weights: Weights {
        product: 20,
        collection: 60,
        article: 20,
        landing: 20,
        documentation: 50,
        forum: 10,
        listing: 60,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[ENOUGH, SOME, NONE],
    sources: &[
        Spec {
            name: "HTML: dl",
            url: "https://html.spec.whatwg.org/multipage/grouping-content.html#the-dl-element",
        },
        Spec { name: "HTML: tables", url: "https://html.spec.whatwg.org/multipage/tables.html" },
    ],
    evaluate,
};

const ENOUGH: Outcome = Outcome::pass("enough");
const SOME: Outcome = Outcome::warn("some");
const NONE: Outcome = Outcome::fail("none");

/// Items of a list.
const FEW_ITEMS: usize = 3;
/// Items that are worth as much as a list and a table.
const MANY_ITEMS: usize = 8;
/// Cells of a table.
const FEW_CELLS: usize = 4;
/// Lines of a draft, and places that are shown.
const MAX_LINES: usize = 20;
const MAX_SHOWN: usize = 3;

fn evaluate(page: &AuditedPage<'_>) -> ScoredFinding {
    let blocks = &page.content.blocks;
    let count = |kind| blocks.iter().filter(|block| block.kind == kind).count();
    let items = count(BlockKind::ListItem);
    let cells = page.content.cells + count(BlockKind::Description);
    let credit = worth(items, cells);
    let outcome = credit.pick([ENOUGH, SOME, NONE]);
    let lines: Vec<&Block> = blocks.iter().filter(|block| is_plain_pair(block)).collect();
    let finding = Finding::new(outcome.with("items", items).with("cells", cells));
    let scored = ScoredFinding::new(credit, finding.with_evidence(evidence(page, &lines, credit)));
    let after = worth(items, cells + lines.len().min(MAX_LINES));
    if after > credit && is_sheet(&lines) {
        scored.with_fix_if_any(fix(&lines).map(|fix| fix.with_credit(after)))
    } else {
        scored
    }
}

/// The credit of so many items of lists, and cells of tables and descriptions.
fn worth(items: usize, cells: usize) -> Credit {
    let signs = [items >= FEW_ITEMS, cells >= FEW_CELLS, items >= MANY_ITEMS];
    match signs.into_iter().filter(|is_met| *is_met).count() {
        0 => Credit::NONE,
        1 => Credit::from_share(0.5),
        _ => Credit::FULL,
    }
}

/// Whether lines are attributes of one thing: some, and each term once, as the speakers of a
/// conversation and the members of a forum are not.
fn is_sheet(lines: &[&Block]) -> bool {
    let terms =
        || lines.iter().filter_map(|block| key_value::split(&block.text)).map(|(key, _)| key);
    let distinct: BTreeSet<&str> = terms().collect();
    distinct.len() >= FEW_CELLS && distinct.len() == lines.len()
}

/// Whether a paragraph is a line such as `Weight: 1 kg`.
fn is_plain_pair(block: &Block) -> bool {
    // A field to fill in and a link that calls have no value.
    let is_value = |value: &str| value.chars().any(char::is_alphanumeric) && !is_call(value);
    block.kind == BlockKind::Paragraph
        && key_value::split(&block.text).is_some_and(|(_, value)| is_value(value))
}

fn is_call(value: &str) -> bool {
    let folded = fold_to_ascii(value);
    ["click here", "read more", "learn more", "buraya tiklayin", "devamini oku"]
        .contains(&folded.trim())
}

/// The lines that could be a list; without any, the first text.
fn evidence(page: &AuditedPage<'_>, lines: &[&Block], credit: Credit) -> Vec<Evidence> {
    if credit == Credit::FULL {
        return Vec::new();
    }
    if lines.is_empty() {
        return draft::opening(page).into_iter().map(|block| page.block(block)).collect();
    }
    lines.iter().take(MAX_SHOWN).map(|block| page.block(block)).collect()
}

/// A list of terms, made of the lines of the page.
fn fix(lines: &[&Block]) -> Option<SnippetFix> {
    let pairs = lines.iter().take(MAX_LINES).filter_map(|block| key_value::split(&block.text));
    let rows: Vec<String> = pairs
        .map(|(key, value)| {
            format!("  <dt>{}</dt><dd>{}</dd>", escape::html(key), escape::html(value))
        })
        .collect();
    let snippet = format!("<dl>\n{}\n</dl>", rows.join("\n"));
    (!rows.is_empty()).then(|| SnippetFix::new(Placement::InPlace, SnippetLanguage::Html, snippet))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn lists_and_tables_are_counted() {
        let list =
            |count: usize| format!("<ul>{}</ul>", "<li>an item of the list</li>".repeat(count));
        let table = "<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>";
        let terms = "<dl><dt>a<dd>1<dt>b<dd>2<dt>c<dd>3<dt>d<dd>4</dl>";
        for (html, credit, outcome) in [
            (format!("{}{table}", list(3)), 1000, "enough"),
            (format!("{}{terms}", list(3)), 1000, "enough"),
            (list(8), 1000, "enough"),
            (list(3), 500, "some"),
            (table.to_owned(), 500, "some"),
            (list(2), 0, "none"),
            ("<p>Yalnızca metin var.</p>".to_owned(), 0, "none"),
        ] {
            let html = format!("<main><h1>x</h1>{html}</main>");
            let scored = fixture(&html).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
        }
    }

    #[test]
    fn lines_become_a_list_of_terms() {
        let scored = fixture(
            "<main><h1>K2</h1>\n<p>Capacity: 1.7 l</p>\n<p>Ağırlık: &lt; 1 kg</p><p>Color: red</p>\
             <p>Height: 20 cm</p><p>Note: hot.</p></main>",
        )
        .read(&SIGNAL);
        assert_eq!(scored.finding.evidence()[0].line, Some(2));
        assert_eq!(
            scored.fix.unwrap().snippet,
            "<dl>\n  <dt>Capacity</dt><dd>1.7 l</dd>\n  <dt>Ağırlık</dt><dd>&lt; 1 kg</dd>\n  \
             <dt>Color</dt><dd>red</dd>\n  <dt>Height</dt><dd>20 cm</dd>\n</dl>"
        );
        let talk = "<p>Ada: Yes</p><p>Bo: No</p>".repeat(3);
        assert_eq!(fixture(&format!("<main>{talk}</main>")).read(&SIGNAL).fix, None);
        assert_eq!(fixture("<main><p>Text.</p></main>").read(&SIGNAL).fix, None);
    }
}
