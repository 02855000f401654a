//! `lists-and-tables`: facts side by side, where they can be compared.

use std::collections::BTreeSet;

use crate::audit::facts::draft;
use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
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
        forum: 0,
        listing: 60,
    },
    grade: Grade::C,
    effort: Effort::S,
    languages: KnownLanguages::All,
    outcomes: &[ENOUGH, NONE, PARTLY_LISTED, UNLISTED, NOTHING_TO_LIST],
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
const NONE: Outcome = Outcome::fail("none");
const PARTLY_LISTED: Outcome = Outcome::warn("partly-listed");
const UNLISTED: Outcome = Outcome::fail("unlisted");
const NOTHING_TO_LIST: Outcome = Outcome::not_applicable("nothing-to-list");

/// The credit where some of what the text enumerates is a list or a table.
const HALF: Credit = Credit::from_per_mille(500);
/// Items of a list.
const FEW_ITEMS: usize = 3;
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
    // The title of another page may have a colon.
    let titles: BTreeSet<&str> = page.content.links.iter().map(|link| link.text.as_str()).collect();
    let is_own = |block: &&Block| is_plain_pair(block) && !titles.contains(block.text.as_str());
    let lines: Vec<&Block> = blocks.iter().filter(is_own).collect();
    let marked = marked_lines(blocks);
    let has_lists = items >= FEW_ITEMS || cells >= FEW_CELLS;
    let has_more = is_sheet(&lines) || !marked.is_empty();
    let is_of_lists = page.profiles().in_common(is_of_lists).flatten().is_some();
    let (outcome, credit) = match (has_lists, has_more) {
        (true, false) => (ENOUGH, Credit::FULL),
        (true, true) => (PARTLY_LISTED, HALF),
        (false, true) => (UNLISTED, Credit::NONE),
        (false, false) if is_of_lists => (NONE, Credit::NONE),
        (false, false) => {
            let nothing = NOTHING_TO_LIST.with("items", items).with("cells", cells);
            return ScoredFinding::unscored(Finding::new(nothing));
        }
    };
    let shown = if is_sheet(&lines) { &lines } else { &marked };
    let outcome = outcome.with("items", items).with("cells", cells).with("lines", shown.len());
    let finding = Finding::new(outcome).with_evidence(evidence(page, shown, credit));
    let scored = ScoredFinding::new(credit, finding);
    if !is_sheet(&lines) {
        return scored;
    }
    let is_rest_listed = marked.is_empty() && lines.len() <= MAX_LINES;
    let after = if is_rest_listed { Credit::FULL } else { HALF };
    if after > credit {
        scored.with_fix_if_any(fix(&lines).map(|fix| fix.with_credit(after)))
    } else {
        scored
    }
}

/// Whether pages of a kind are lists of things.
fn is_of_lists(profile: Profile) -> Option<()> {
    matches!(profile, Profile::Collection | Profile::Listing).then_some(())
}

/// Lines that are set as items of a list, with a number or a bullet, and are none.
fn marked_lines(blocks: &[Block]) -> Vec<&Block> {
    let mut found: Vec<&Block> = Vec::new();
    let mut run: Vec<&Block> = Vec::new();
    for block in blocks {
        if block.kind == BlockKind::Paragraph && is_marked(&block.text) {
            run.push(block);
            continue;
        }
        if run.len() >= FEW_ITEMS {
            found.append(&mut run);
        }
        run.clear();
    }
    if run.len() >= FEW_ITEMS {
        found.append(&mut run);
    }
    found
}

/// Whether a line begins with a bullet, or with a number and a mark: `2. Knead`, `b) Flour`, `Step 3: Bake`.
fn is_marked(text: &str) -> bool {
    let text = text.trim_start();
    if text.starts_with(['•', '·', '‣', '▪', '●', '○', '◦', '✓', '✔', '➤', '→'])
        || text.starts_with("- ")
    {
        return true;
    }
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    if words.next().is_none() {
        return false;
    }
    let number = first.strip_suffix(['.', ')', ':']).unwrap_or_default();
    let is_number = number.len() <= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = first.ends_with(')') && number.len() == 1;
    // A thread counts its posts, and is no list for that.
    let is_post = POSTS.contains(&fold_to_ascii(first).as_str());
    let is_step = || {
        let second = text.split_whitespace().nth(1).unwrap_or_default();
        let step = second.strip_suffix([':', '.', ')', '-', '–']).unwrap_or_default();
        step.len() <= 2 && !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit())
    };
    !number.is_empty() && (is_number || is_letter) || !is_post && is_step()
}

/// What posts are called where they are counted, folded to ASCII.
const POSTS: [&str; 10] = [
    "message",
    "comment",
    "post",
    "reply",
    "mesaj",
    "yorum",
    "kommentar",
    "beitrag",
    "commentaire",
    "comentario",
];

/// Whether lines are attributes of one thing: some, and each term once, as the speakers of a
/// conversation and the members of a forum are not.
fn is_sheet(lines: &[&Block]) -> bool {
    // `message 1`, `message 2` are one term.
    let is_counter = |ch: char| ch.is_ascii_digit() || ch == ' ';
    let terms = || {
        let pairs = lines.iter().filter_map(|block| key_value::split(&block.text));
        pairs.map(|(key, _)| key.trim_end_matches(is_counter))
    };
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
            (list(3), 1000, "enough"),
            (table.to_owned(), 1000, "enough"),
            (list(2), 0, "none"),
            ("<p>Yalnızca metin var.</p>".to_owned(), 0, "none"),
        ] {
            let html = format!("<main><h1>x</h1>{html}</main>");
            let scored = fixture(&html).with_profile(Profile::Listing).read(&SIGNAL);
            let outcome_found = scored.finding.detections()[0].outcome.id;
            assert_eq!(
                (scored.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
        }
    }

    #[test]
    fn only_what_is_enumerated_has_to_be_a_list() {
        let read = |html: &str| {
            let scored = fixture(&format!("<main><h1>x</h1>{html}</main>"))
                .with_profile(Profile::Article)
                .read(&SIGNAL);
            (scored.finding.detections()[0].outcome.id, scored.credit.map(Credit::per_mille))
        };
        let list = "<ul><li>one<li>two<li>three</ul>";
        for (html, expected) in [
            ("<p>A text about rye.</p>".repeat(9), ("nothing-to-list", None)),
            (
                "<p>In 2024. Then in 2025.</p><p>1990 was dry.</p>".repeat(3),
                ("nothing-to-list", None),
            ),
            (list.to_owned(), ("enough", Some(1000))),
            ("<p>1. Knead</p><p>2. Wait</p><p>3. Bake</p>".to_owned(), ("unlisted", Some(0))),
            ("<p>• Rye</p><p>• Salt</p><p>• Water</p>".to_owned(), ("unlisted", Some(0))),
            (
                "<p>Step 1: Knead</p><p>Step 2: Wait</p><p>Step 3: Bake</p>".to_owned(),
                ("unlisted", Some(0)),
            ),
            ("<p>1.</p><p>2.</p><p>3.</p>".to_owned(), ("nothing-to-list", None)),
            (
                (1..9).map(|n| format!("<p>Message {n}: by Ada</p>")).collect(),
                ("nothing-to-list", None),
            ),
            (
                ["Moving", "Rolling", "Baking", "Storing"]
                    .map(|word| format!("<p><a href=/{word}>{word} dough: How we did it</a></p>"))
                    .concat(),
                ("nothing-to-list", None),
            ),
            (
                format!("{list}<p>1. Knead</p><p>2. Wait</p><p>3. Bake</p>"),
                ("partly-listed", Some(500)),
            ),
        ] {
            assert_eq!(read(&html), expected, "{html}");
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
