//! Demands on machines in places that readers do not see.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::{HIDDEN_INSTRUCTIONS, Hit, MAX_SHOWN};
use crate::audit::page::AuditedPage;
use crate::fetch::domain::Domain;
use crate::page::NodeId;
use crate::page::content::{Covert, CovertSource};
use crate::text::demand::{self, Setting, TextPlace, plain};

/// Hidden texts that are looked for in the visible one; more of them are not there.
const MAX_COMPARED: usize = 100;
/// Words about attacks from which on a page is a lesson about them.
const MIN_ATTACKS: usize = 3;
/// Words for machines from which on a page is about them.
const MIN_MACHINES: usize = 4;
/// Texts that could be a part of a demand, and are looked at.
const MAX_LOOKED_AT: usize = 2_000;
/// Characters of an element that are read.
const MAX_ELEMENT_CHARS: usize = 2_000;
/// Elements around a text that may be a part of its sentence.
const MAX_INLINE: usize = 4;
/// Words of a part of a title that may be a name.
const MAX_WORDS_OF_NAME: usize = 5;
/// Bytes from which on a value of JSON-LD may be a sentence.
const MIN_VALUE_BYTES: usize = 16;
/// Values of JSON-LD that are read.
const MAX_VALUES: usize = 2_000;

/// A demand that readers do not see.
#[derive(Debug)]
struct Unseen {
    text: String,
    /// What keeps it from them, as it is written in the page.
    means: String,
    line: usize,
    node: NodeId,
    /// Whether it is in the visible text all the same, since that knows no classes and colors.
    is_drawn: bool,
}

/// A text that may hold one.
struct Candidate<'a> {
    text: &'a str,
    place: TextPlace,
    line: usize,
    node: NodeId,
}

/// Demands that readers do not see; none that the page shows as well, and none of a page that teaches about them.
pub(super) fn find(page: &AuditedPage<'_>) -> Option<Hit> {
    let mut search = Search { page, names: OnceCell::new(), is_about_machines: false };
    let mut unseen = search.unseen();
    if unseen.is_empty() || teaches(page) {
        return None;
    }
    if is_about_machines(page) {
        search.is_about_machines = true;
        unseen = search.unseen();
    }
    let shown = VisibleWords::new(page, &unseen);
    let mut found: Vec<&Unseen> = Vec::new();
    for (at, one) in unseen.iter().enumerate() {
        let is_known = found.iter().any(|known| known.text == one.text);
        if !is_known && (at >= MAX_COMPARED || !shown.has(&one.text)) {
            found.push(one);
        }
        if found.len() == MAX_SHOWN {
            break;
        }
    }
    let first = found.first()?;
    let seen = HIDDEN_INSTRUCTIONS
        .with("text", &first.text)
        .with("line", first.line)
        .with("means", &first.means);
    Some((seen, found.iter().map(|one| page.evidence(&one.text, one.line, one.node)).collect()))
}

/// Whether the page is a lesson about such demands: by its title, a heading, or its words.
fn teaches(page: &AuditedPage<'_>) -> bool {
    const MAX_LEVEL: u8 = 2;
    let facts = page.page();
    let title = facts.title.iter().map(|title| title.value.as_str());
    let headings = facts.headings.iter().filter(|heading| heading.level <= MAX_LEVEL);
    let mut named = title.chain(headings.map(|heading| heading.text.as_str()));
    named.any(demand::names_subject) || demand::count_attacks(&facts.visible_text) >= MIN_ATTACKS
}

/// Whether the page is about machines that answer, so that it may well say what they are asked.
fn is_about_machines(page: &AuditedPage<'_>) -> bool {
    let facts = page.page();
    let title = facts.title.as_ref().map(|title| title.value.as_str()).unwrap_or_default();
    demand::count_machines(title) > 0 || demand::count_machines(&facts.visible_text) >= MIN_MACHINES
}

/// Names of the site and of what the page is about: stated ones, short parts of the title, and the domain.
fn names(page: &AuditedPage<'_>) -> Vec<String> {
    let facts = page.page();
    let stated = ["og:site_name", "application-name"].into_iter().flat_map(|key| facts.metas(key));
    let stated = stated.map(|meta| meta.content.as_str());
    let title = facts.title.as_ref().map(|title| title.value.as_str()).unwrap_or_default();
    let parts = title
        .split(['|', '–', '—', '·', ':', ',', '«', '»', '「', '」'])
        .flat_map(|part| part.split(" - "));
    let is_short = |part: &&str| part.split_whitespace().count() <= MAX_WORDS_OF_NAME;
    let domain = page.snapshot.location().and_then(|url| url.host_str()?.parse::<Domain>().ok());
    let label = domain.as_ref().and_then(|domain| domain.registrable().split('.').next());
    let all = stated.chain(parts).filter(is_short).chain(label);
    let mut names: Vec<String> = all.filter_map(demand::name).collect();
    names.sort();
    names.dedup();
    names
}

/// What texts are asked about.
struct Search<'a> {
    page: &'a AuditedPage<'a>,
    names: OnceCell<Vec<String>>,
    is_about_machines: bool,
}

impl Search<'_> {
    fn unseen(&self) -> Vec<Unseen> {
        let mut unseen = self.covert(self.page);
        unseen.extend(self.metas(self.page));
        unseen.extend(self.data(self.page));
        unseen.extend(self.styled(self.page));
        unseen
    }

    fn demand<'t>(&self, text: &'t str, place: TextPlace) -> Option<&'t str> {
        let names = || self.names.get_or_init(|| names(self.page));
        let names_site = |sentence: &str| demand::has_name(sentence, names());
        let is_about_machines = self.is_about_machines;
        demand::find(text, &Setting { place, names_site: &names_site, is_about_machines })
    }

    fn read(&self, candidate: &Candidate<'_>, means: impl FnOnce() -> String) -> Option<Unseen> {
        let text = self.demand(candidate.text, candidate.place)?.to_owned();
        let (line, node) = (candidate.line, candidate.node);
        Some(Unseen { text, means: means(), line, node, is_drawn: false })
    }

    /// What attributes hide, comments, and labels.
    fn covert(&self, page: &AuditedPage<'_>) -> Vec<Unseen> {
        let read = |covert: &Covert| {
            let place = match covert.place {
                CovertSource::Comment | CovertSource::Data => TextPlace::Source,
                CovertSource::Attribute => TextPlace::Description,
                CovertSource::Hidden
                | CovertSource::Removed
                | CovertSource::Field
                | CovertSource::Frame => TextPlace::Text,
            };
            let candidate =
                Candidate { text: &covert.text, place, line: covert.line, node: covert.node };
            self.read(&candidate, || match covert.place {
                CovertSource::Comment => "<!-- -->".to_owned(),
                CovertSource::Hidden | CovertSource::Removed => {
                    page.document.styles().means_of(covert.node)
                }
                _ => covert.attribute.clone(),
            })
        };
        page.content.covert.iter().filter_map(read).collect()
    }

    /// Elements of the head, whose text a page does not show.
    fn metas(&self, page: &AuditedPage<'_>) -> Vec<Unseen> {
        let metas = page.page().metas.iter();
        let read = |meta: &crate::page::Meta| {
            let place = TextPlace::Description;
            let candidate =
                Candidate { text: &meta.content, place, line: meta.line, node: meta.node };
            self.read(&candidate, || format!("<meta> {}", meta.key))
        };
        metas.filter_map(read).collect()
    }

    /// Sentences of the JSON-LD.
    fn data(&self, page: &AuditedPage<'_>) -> Vec<Unseen> {
        let nodes = page.page().json_ld.iter().flat_map(|block| {
            let nodes = block.nodes.as_ref().map(Vec::as_slice).unwrap_or_default();
            nodes.iter().map(move |node| (block, node))
        });
        let values = nodes.flat_map(|(block, node)| {
            node.object.values().flat_map(texts_of).map(move |text| (block, text))
        });
        let sentences = values.filter(|(_, text)| text.len() >= MIN_VALUE_BYTES).take(MAX_VALUES);
        let read = |(block, text): (&crate::page::json_ld::JsonLdBlock, &str)| {
            let candidate = Candidate {
                text,
                place: TextPlace::Description,
                line: block.line,
                node: block.node,
            };
            self.read(&candidate, || "JSON-LD".to_owned())
        };
        sentences.filter_map(read).collect()
    }

    /// What classes, colors and sizes hide. Most pages have no text with a word of a demand, so that their styles are
    /// never read.
    fn styled(&self, page: &AuditedPage<'_>) -> Vec<Unseen> {
        let document = &page.document;
        let mut read = BTreeSet::new();
        let texts =
            document.texts().filter(|(_, text)| demand::may_begin(text)).take(MAX_LOOKED_AT);
        let candidates: Vec<NodeId> = texts
            .filter(|(node, _)| {
                let block = block_of(page, *node);
                let text = || document.text_of(block, MAX_ELEMENT_CHARS);
                read.insert(block) && self.demand(&text(), TextPlace::Text).is_some()
            })
            .map(|(node, _)| node)
            .collect();
        if candidates.is_empty() {
            return Vec::new();
        }
        let styles = document.styles();
        let hider_of =
            |node: NodeId| styles.hider_of(node).filter(|hider| !styles.is_quoted(node, *hider));
        let hiders: BTreeSet<NodeId> = candidates.into_iter().filter_map(hider_of).collect();
        let read = |node: NodeId| {
            let text = document.text_of(node, MAX_ELEMENT_CHARS).replace('\n', " ");
            let candidate = Candidate {
                text: &text,
                place: TextPlace::Text,
                line: document.line_of(node),
                node,
            };
            self.read(&candidate, || styles.means_of(node))
                .map(|one| Unseen { is_drawn: true, ..one })
        };
        hiders.into_iter().filter_map(read).collect()
    }
}

/// The texts of a value: itself, or those of a list. Nested nodes are nodes of their own.
fn texts_of(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::Array(values) => Box::new(values.iter().filter_map(Value::as_str)),
        _ => Box::new(value.as_str().into_iter()),
    }
}

/// The element whose text the sentence of a text is in.
fn block_of(page: &AuditedPage<'_>, text: NodeId) -> NodeId {
    let is_inline = |id: NodeId| {
        let name = page.document.element_name(id);
        matches!(name, "a" | "b" | "em" | "font" | "i" | "mark" | "span" | "strong" | "tspan" | "u")
    };
    let mut block = page.document.parent_of(text).unwrap_or(text);
    for _ in 0..MAX_INLINE {
        match page.document.parent_of(block) {
            Some(parent) if is_inline(block) => block = parent,
            _ => break,
        }
    }
    block
}

/// The words that readers see.
struct VisibleWords {
    visible: String,
    /// Those of the visible text that are out of sight all the same.
    removed: String,
}

impl VisibleWords {
    fn new(page: &AuditedPage<'_>, unseen: &[Unseen]) -> Self {
        let removed = page.content.covert.iter().filter(|c| c.place == CovertSource::Removed);
        let removed = removed.map(|covert| covert.text.as_str());
        let styled = unseen.iter().filter(|one| one.is_drawn).map(|one| one.text.as_str());
        let removed: Vec<String> = removed.chain(styled).map(plain).collect();
        Self {
            visible: format!(" {} ", plain(&page.page().visible_text)),
            removed: format!(" {} ", removed.join(" | ")),
        }
    }

    fn has(&self, text: &str) -> bool {
        let wanted = format!(" {} ", plain(text));
        self.visible.matches(&wanted).count() > self.removed.matches(&wanted).count()
    }
}
