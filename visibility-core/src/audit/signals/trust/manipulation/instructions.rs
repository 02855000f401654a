//! Instructions to language models in places that readers do not see.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{HIDDEN_INSTRUCTIONS, Hit, MAX_SHOWN};
use crate::audit::page::AuditedPage;
use crate::page::NodeId;
use crate::page::content::CovertSource;
use crate::text::prompt_injection::{count_reports, is_instruction, plain};

/// Hidden texts that are looked for in the visible one; more of them are not there.
const MAX_COMPARED: usize = 100;
/// Words about attacks from which on a page is a lesson about them.
const MIN_REPORTS_OF_LESSON: usize = 3;
/// Texts with a word of an instruction that are looked at.
const MAX_LOOKED_AT: usize = 300;
/// Characters of an element that are read.
const MAX_ELEMENT_CHARS: usize = 2_000;
/// Elements around a text that may be a part of its sentence.
const MAX_INLINE: usize = 4;

/// A text that readers do not see.
#[derive(Debug)]
struct Unseen {
    text: String,
    line: usize,
    node: NodeId,
    /// Whether it is in the visible text all the same, since that knows no classes and colors.
    is_drawn: bool,
}

/// Instructions that readers do not see; none that the page shows as well, and none of a page that teaches
/// about attacks.
pub(super) fn find(page: &AuditedPage<'_>) -> Option<Hit> {
    let mut unseen = hidden(page);
    unseen.extend(metas(page));
    unseen.extend(styled(page));
    if unseen.is_empty() || count_reports(&page.page().visible_text) >= MIN_REPORTS_OF_LESSON {
        return None;
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
    let seen = HIDDEN_INSTRUCTIONS.with("text", &first.text).with("line", first.line);
    Some((seen, found.iter().map(|one| page.evidence(&one.text, one.line, one.node)).collect()))
}

/// What attributes hide, comments, and labels.
fn hidden(page: &AuditedPage<'_>) -> Vec<Unseen> {
    let covert = page.content.covert.iter().filter(|covert| is_instruction(&covert.text));
    covert
        .map(|one| Unseen {
            text: one.text.clone(),
            line: one.line,
            node: one.node,
            is_drawn: false,
        })
        .collect()
}

/// Elements of the head that no search engine shows; what describes the page may describe an attack.
fn metas(page: &AuditedPage<'_>) -> Vec<Unseen> {
    let is_shown = |key: &str| {
        ["description", "title", "keywords", "subject", "abstract"]
            .iter()
            .any(|end| key.ends_with(end))
    };
    let metas = page.page().metas.iter();
    metas
        .filter(|meta| !is_shown(&meta.key) && is_instruction(&meta.content))
        .map(|meta| Unseen {
            text: meta.content.clone(),
            line: meta.line,
            node: meta.node,
            is_drawn: false,
        })
        .collect()
}

/// What classes, colors and sizes hide. Most pages have no text with such words, so that their styles are
/// never read.
fn styled(page: &AuditedPage<'_>) -> Vec<Unseen> {
    static WORDS: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    // Much cheaper to build than the automaton that is taken by default, and as fast on texts such as these.
    let build = || {
        let mut builder = AhoCorasick::builder();
        builder.kind(Some(AhoCorasickKind::ContiguousNFA)).ascii_case_insensitive(true);
        builder.build(SIGNAL_WORDS).ok()
    };
    let Some(words) = WORDS.get_or_init(build) else { return Vec::new() };
    let document = &page.document;
    let signalling = document.texts().filter(|(_, text)| words.is_match(text));
    let signalling: Vec<NodeId> = signalling.map(|(node, _)| node).take(MAX_LOOKED_AT).collect();
    let mut read = BTreeSet::new();
    let candidates: Vec<NodeId> = signalling
        .into_iter()
        .filter(|node| {
            let block = block_of(page, *node);
            read.insert(block) && is_instruction(&document.text_of(block, MAX_ELEMENT_CHARS))
        })
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let styles = document.styles();
    let hiders: BTreeSet<NodeId> =
        candidates.into_iter().filter_map(|node| styles.hider_of(node)).collect();
    hiders
        .into_iter()
        .map(|node| {
            let text = document.text_of(node, MAX_ELEMENT_CHARS).replace('\n', " ");
            Unseen { text, line: document.line_of(node), node, is_drawn: true }
        })
        .filter(|one| is_instruction(&one.text))
        .collect()
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

/// Parts of words that an instruction has one of, in the languages whose instructions are known.
const SIGNAL_WORDS: &[&str] = &[
    "instruction",
    "instruktion",
    "istruzion",
    "instruccion",
    "instrucción",
    "instruç",
    "instructie",
    "anweisung",
    "vorgaben",
    "consigne",
    "directi",
    "direttiv",
    "diretriz",
    "guideline",
    "prompt",
    "talimat",
    "yönerge",
    "komutları",
    "yapay zeka",
    "güvenilir",
    "her zaman",
    "kullanıcıya",
    "language model",
    "sprachmodell",
    "modelo de l",
    "modèle de l",
    "modello ling",
    "taalmodel",
    "modelem jęz",
    "языковая",
    "если ты",
    "chatgpt",
    "claude",
    "gemini",
    "copilot",
    "perplexity",
    "grok",
    "llm",
    "gpt",
    "chatbot",
    "ai assistant",
    "ai model",
    "ai agent",
    "ai system",
    "ki-",
    "to ai",
    "an ai",
    "summari",
    "indicaciones",
    "indicazioni",
    "aanwijzing",
    "polecen",
    "инструкци",
    "указани",
    "trusted source",
];
