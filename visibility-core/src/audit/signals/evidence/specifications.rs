//! `specifications`: attributes with their values.

use serde_json::{Value, json};

use crate::audit::page::AuditedPage;
use crate::audit::profile::Profile;
use crate::audit::prose::{Measured, draft, key_value, subject};
use crate::audit::signal::{
    Credit, Fix, Grade, Pillar, Placement, Reading, Signal, SnippetLanguage, Weights,
};
use crate::finding::{Evidence, Finding, Outcome};
use crate::page::NodeId;
use crate::page::content::{Block, BlockKind};
use crate::report::escape;
use crate::rubric::{Effort, Spec};

pub(super) const SIGNAL: Signal = Signal {
    id: "specifications",
    code: "EV02",
    pillar: Pillar::Evidence,
    weights: Weights { product: 40, landing: 30, article: 20 },
    grade: Grade::B,
    effort: Effort::M,
    outcomes: &[ENOUGH, FEW, NONE],
    sources: &[
        Spec {
            name: "GEO: Generative Engine Optimization",
            url: "https://arxiv.org/abs/2311.09735",
        },
        Spec {
            name: "schema.org: additionalProperty",
            url: "https://schema.org/additionalProperty",
        },
    ],
    evaluate,
};

const ENOUGH: Outcome = Outcome::pass("enough");
const FEW: Outcome = Outcome::warn("few");
const NONE: Outcome = Outcome::fail("none");

/// Attributes that are enough.
const WANTED: f64 = 6.0;
/// Words of a row, and of an item or cell that is a fact in itself.
const MAX_ROW_WORDS: usize = 25;
const MAX_ITEM_WORDS: usize = 12;
/// Attributes that are shown, and that are drafted.
const MAX_SHOWN: usize = 5;
const MAX_DRAFTED: usize = 20;

/// Attributes with values, and facts that stand alone.
struct Found<'a> {
    pairs: Vec<Attribute<'a>>,
    /// Short items and cells with a number and a unit.
    alone: Vec<&'a Block>,
}

struct Attribute<'a> {
    key: &'a str,
    value: &'a str,
    line: usize,
    node: NodeId,
    /// Whether it is a line of text, and neither a row nor a term.
    is_line: bool,
}

impl Found<'_> {
    fn count(&self) -> usize {
        self.pairs.len() + self.alone.len()
    }
}

fn evaluate(page: &AuditedPage<'_>) -> Reading {
    let found = found(page);
    let count = u32::try_from(found.count()).unwrap_or(u32::MAX);
    let credit = Credit::ramp(f64::from(count), 0.0, WANTED);
    let finding = Finding::new(credit.pick([ENOUGH, FEW, NONE]).with("count", count))
        .because(evidence(page, &found));
    let reading = Reading::new(credit, finding);
    if credit >= Credit::PASS { reading } else { reading.paste(fix(page, &found)) }
}

fn found<'a>(page: &'a AuditedPage<'_>) -> Found<'a> {
    let words = |text: &str| text.split_whitespace().count();
    let rows = page.content.pairs.iter().map(|pair| Attribute {
        key: &pair.key,
        value: &pair.value,
        line: pair.line,
        node: pair.node,
        is_line: false,
    });
    let rows = rows.filter(|row| {
        let count = words(row.key) + words(row.value);
        !row.key.is_empty() && !row.value.is_empty() && count <= MAX_ROW_WORDS
    });
    let lines = page.content.blocks.iter().filter(|block| is_line(block)).filter_map(|block| {
        let (key, value) = key_value::split(&block.text)?;
        Some(Attribute { key, value, line: block.line, node: block.node, is_line: true })
    });
    let pairs: Vec<Attribute<'_>> = rows.chain(lines).collect();
    let is_short =
        |measured: &Measured| measured.quantities > 0 && measured.words <= MAX_ITEM_WORDS;
    // Cells of rows with two cells are attributes already.
    let has_rows = !page.content.pairs.is_empty();
    let is_alone = |block: &Block| match block.kind {
        BlockKind::ListItem => key_value::split(&block.text).is_none(),
        BlockKind::Cell => !has_rows,
        _ => false,
    };
    let blocks = page.prose.pairs(&page.content).filter(|(_, measured)| is_short(measured));
    let alone = blocks.map(|(block, _)| block).filter(|block| is_alone(block)).collect();
    Found { pairs, alone }
}

fn is_line(block: &Block) -> bool {
    matches!(block.kind, BlockKind::Paragraph | BlockKind::ListItem)
}

fn evidence(page: &AuditedPage<'_>, found: &Found<'_>) -> Vec<Evidence> {
    let pairs = found
        .pairs
        .iter()
        .map(|pair| page.evidence(&format!("{}: {}", pair.key, pair.value), pair.line, pair.node));
    let alone = found.alone.iter().map(|block| page.block(block));
    let shown: Vec<Evidence> = pairs.chain(alone).take(MAX_SHOWN).collect();
    let first = || page.content.blocks.first().map(|block| page.block(block));
    if shown.is_empty() { first().into_iter().collect() } else { shown }
}

/// A table of the attributes that are lines of text; of a product, all of them as properties.
fn fix(page: &AuditedPage<'_>, found: &Found<'_>) -> Fix {
    let drafted = || found.pairs.iter().take(MAX_DRAFTED);
    let mut parts = Vec::new();
    let rows: Vec<String> = drafted()
        .filter(|pair| pair.is_line)
        .map(|pair| {
            let (key, value) = (escape::html(pair.key), escape::html(pair.value));
            format!("  <tr><th scope=\"row\">{key}</th><td>{value}</td></tr>")
        })
        .collect();
    if !rows.is_empty() {
        parts.push(format!("<table>\n{}\n</table>", rows.join("\n")));
    }
    let properties: Vec<Value> = drafted()
        .map(|pair| json!({ "@type": "PropertyValue", "name": pair.key, "value": pair.value }))
        .collect();
    let name = subject::name(page).filter(|_| page.profile() == Profile::Product);
    if let Some(name) = name.filter(|_| !properties.is_empty()) {
        parts.push(draft::json_ld(&json!({
            "@context": "https://schema.org",
            "@type": "Product",
            "name": name,
            "additionalProperty": properties,
        })));
    }
    if parts.is_empty() {
        let gap = draft::GAP;
        let row =
            format!("<table>\n  <tr><th scope=\"row\">{gap}</th><td>{gap}</td></tr>\n</table>");
        return Fix::new(Placement::Main, SnippetLanguage::Html, row).needing(["name", "value"]);
    }
    Fix::new(Placement::Main, SnippetLanguage::Html, parts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::page::fixture::fixture;

    #[test]
    fn attributes_are_counted_once() {
        let rows =
            |count: usize| format!("<table>{}</table>", "<tr><th>Weight<td>1 kg".repeat(count));
        for (html, credit, outcome) in [
            (rows(6), 1000, "enough"),
            (rows(3), 500, "few"),
            (rows(1), 167, "none"),
            (
                "<dl><dt>Kapasite<dd>1,7 litre<dt>Güç<dd>2200 W<dt>Renk<dd>Siyah</dl>".into(),
                500,
                "few",
            ),
            ("<p>Weight: 1 kg</p><p>Color: black</p>".into(), 333, "few"),
            (format!("<ul>{}</ul>", "<li>1.7 liters capacity".repeat(6)), 1000, "enough"),
            (format!("<ul>{}</ul>", "<li>Ağırlık: 2 kg".repeat(3)), 500, "few"),
            ("<ul><li>Good<li>Better<li>Best</ul>".into(), 0, "none"),
            ("<p>Note: hot</p>".into(), 0, "none"),
            (String::new(), 0, "none"),
        ] {
            let html = format!("<main><h1>K2</h1>{html}</main>");
            let reading = fixture(&html).read(&SIGNAL);
            let outcome_found = reading.finding.signals()[0].outcome.id;
            assert_eq!(
                (reading.credit.unwrap().per_mille(), outcome_found),
                (credit, outcome),
                "{html}"
            );
            assert!(!reading.finding.evidence().is_empty());
        }
    }

    #[test]
    fn lines_become_rows_and_properties() {
        let reading = fixture("<main><h1>K2</h1>\n<p>Ağırlık: &lt;1 kg</p></main>")
            .of_kind(Profile::Product)
            .read(&SIGNAL);
        assert_eq!(reading.finding.evidence()[0].line, Some(2));
        let fix = reading.fix.unwrap();
        assert!(fix.snippet.contains("<tr><th scope=\"row\">Ağırlık</th><td>&lt;1 kg</td></tr>"));
        assert!(fix.snippet.contains(r#""value": "<1 kg""#), "{}", fix.snippet);
        let fix = fixture("<main><p>x</p></main>").read(&SIGNAL).fix.unwrap();
        assert_eq!(fix.needs_input, ["name", "value"]);
    }
}
