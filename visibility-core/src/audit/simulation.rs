//! The page as it would be after a fix.
//!
//! The page is not parsed again: what the snippet says is added to what is known of the page, and the
//! signals that it concerns are evaluated once more. A test pastes the snippets into real HTML, audits
//! the result and compares.

use std::mem;

use crate::audit::facts::main_entity::MainEntity;
use crate::audit::markup::Markup;
use crate::audit::page::AuditedPage;
use crate::audit::profile::features::Facts;
use crate::audit::profile::{PossibleProfiles, ProfileDecision};
use crate::audit::prose::{Prose, Sentences};
use crate::audit::score::{Contribution, EvaluatedSignal};
use crate::audit::signal::{Credit, ScoredFinding, SnippetLanguage, SnippetPart};
use crate::page::content::{Block, BlockKind, Content, Shape};
use crate::page::directives::{self, Directive};
use crate::page::json_ld::JsonLdBlock;
use crate::page::{Document, LinkElement, Located, Meta, NodeId, Page};
use crate::rubric::fix::Placement;

/// Signals that read the markup of a page.
const MARKUP: &[&str] = &[
    "page-entity",
    "entity-properties",
    "json-ld-syntax",
    "markup-consistency",
    "publisher-identity",
    "freshness",
    "price-in-text",
    "key-facts",
    "identity",
    "quotes-and-reviews",
    "transcripts",
];

/// Signals that read the text of a page, and take little time.
const TEXT: &[&str] = &[
    "main-text",
    "js-dependency",
    "hidden-text",
    "main-heading",
    "outline",
    "answer-first",
    "self-contained-passages",
    "lists-and-tables",
    "quantified-claims",
    "specifications",
    "readability",
];

/// Signals besides its own and [`TEXT`] that the snippet of a signal can change.
fn concerned(signal: &str) -> &'static [&'static str] {
    match signal {
        "page-entity" | "entity-properties" | "markup-consistency" => MARKUP,
        "publisher-identity" => &["json-ld-syntax", "page-entity"],
        "title-and-description" => &["main-heading"],
        "answer-first" | "hidden-text" => &["key-facts"],
        "freshness" => &["key-facts", "identity", "markup-consistency", "entity-properties"],
        "main-heading" | "price-in-text" => &["key-facts", "markup-consistency"],
        "key-facts" => &["freshness", "price-in-text", "identity", "markup-consistency"],
        _ => &[],
    }
}

/// What is read of a page after a fix, if it then has these profiles.
pub(crate) struct After {
    /// Ids of the signals that were evaluated once more, and what they contribute.
    pub(crate) contributions: Vec<(&'static str, Contribution)>,
    /// The profiles that the page may have, which markup and text may change.
    pub(crate) profiles: PossibleProfiles,
}

/// The readings of the page after the fix of one of them: that one, and those that change with it. First with
/// the profiles that the page has now, then with others that it may get by the fix, if it may.
///
/// Empty for a reading without a fix.
pub(crate) fn after(
    page: &mut AuditedPage<'_>,
    evaluated: &[EvaluatedSignal],
    at: usize,
) -> Vec<After> {
    let Some(own) = evaluated.get(at) else { return Vec::new() };
    let Some(fix) = own.scored.fix.as_ref() else { return Vec::new() };
    let mut undo: Vec<Undo> = fix.filled().filter_map(|part| paste(page, &part)).collect();
    if undo.is_empty() {
        let credit = own.scored.credit.map(|_| fix.credit.unwrap_or(Credit::FULL));
        let contributions = vec![(own.signal.id, (credit, None))];
        return vec![After { contributions, profiles: page.profiles() }];
    }
    let now = page.decision.clone();
    let is_text = undo.iter().any(|undo| matches!(undo, Undo::Text(_)));
    let outcomes = decisions(page)
        .into_iter()
        .map(|decision| {
            page.decision = decision;
            let profiles = page.profiles();
            let is_other = profiles != now.profiles;
            let contributions = changed(page, evaluated, own.signal.id, (is_text, is_other));
            After { contributions, profiles }
        })
        .collect();
    page.decision = now;
    while let Some(last) = undo.pop() {
        last.run(page);
    }
    outcomes
}

/// What may be decided on the profile of a page after a fix: the same, what the page says then, and what is near
/// enough that the real page may be judged so.
fn decisions(page: &AuditedPage<'_>) -> Vec<ProfileDecision> {
    let mut all = vec![page.decision.clone()];
    if page.snapshot.profile.is_none() {
        let url = page.snapshot.location();
        let facts = Facts::new(page.page(), &page.content, &page.shape, &page.markup, url);
        let then = ProfileDecision::detect(&facts);
        let near = [page.decision.near(), then.near()].into_iter().flatten();
        for decision in near.chain([then]) {
            if all.iter().all(|known| known.profiles != decision.profiles) {
                all.push(decision);
            }
        }
    }
    all
}

/// The signals that a fix may change, evaluated once more.
fn changed(
    page: &AuditedPage<'_>,
    evaluated: &[EvaluatedSignal],
    own: &str,
    (is_text, is_other_profile): (bool, bool),
) -> Vec<(&'static str, Contribution)> {
    let others = concerned(own);
    let is_concerned = |id: &str| {
        is_other_profile || id == own || others.contains(&id) || is_text && TEXT.contains(&id)
    };
    let concerned = evaluated.iter().filter(|item| is_concerned(item.signal.id));
    concerned
        .map(|item| {
            let ScoredFinding { credit, cap, .. } =
                EvaluatedSignal::evaluate(item.signal, page).scored;
            (item.signal.id, (credit, cap))
        })
        .collect()
}

/// What has to be put back.
enum Undo {
    /// Facts of the head, and the markup.
    Head(Box<Head>),
    /// Text at the beginning of the main content.
    Text(Text),
    /// The markup.
    Markup(Markup),
}

/// What the head of a page says.
struct Head {
    title: Option<Located<String>>,
    description: Option<Located<String>>,
    lang: Option<Located<String>>,
    metas: Vec<Meta>,
    links: Vec<LinkElement>,
    json_ld: Vec<JsonLdBlock>,
    directives: Vec<Directive>,
    markup: Markup,
}

/// How much text was added, and where.
#[derive(Default)]
struct Text {
    /// Place of the first new block.
    at: usize,
    blocks: usize,
    own_blocks: usize,
    times: usize,
    pairs: usize,
    cells: usize,
    words: usize,
    chars: usize,
    hidden_chars: usize,
    body_words: usize,
    facts: usize,
    /// What the sentences measured before.
    sentences: Sentences,
    /// The shape before.
    shape: Box<Shape>,
    headings: usize,
    anchors: usize,
    visible_bytes: usize,
}

/// Pastes a snippet, its placeholders filled; `None` where that changes nothing measurable
/// without parsing the page again.
fn paste(page: &mut AuditedPage<'_>, part: &SnippetPart) -> Option<Undo> {
    let html = &part.snippet;
    match (part.placement, part.language) {
        (Placement::Head | Placement::HtmlElement, SnippetLanguage::Html) => {
            Some(Undo::Head(Box::new(paste_head(page, html))))
        }
        (Placement::Main, SnippetLanguage::Html) => {
            Some(Undo::Text(paste_text(page, html, Where::Begin)))
        }
        (Placement::InPlace, SnippetLanguage::Html) if html.starts_with("<details>") => {
            Some(Undo::Text(paste_text(page, html, Where::Hidden)))
        }
        (Placement::InPlace, SnippetLanguage::Json) => paste_members(page, html).map(Undo::Markup),
        _ => None,
    }
}

fn paste_head(page: &mut AuditedPage<'_>, html: &str) -> Head {
    let added = Document::parse(html.as_bytes(), None);
    let markup = page.markup.with(&Markup::from_document(&added, &Content::default()));
    let markup = mem::replace(&mut page.markup, markup);
    let added = added.page();
    let facts = page.document.page_mut();
    let is_new = |key: &str| added.metas.iter().all(|meta| meta.key != key);
    let metas =
        facts.metas.iter().filter(|meta| is_new(&meta.key)).chain(&added.metas).cloned().collect();
    let is_other = |rels: &[String]| added.links.iter().all(|link| link.rels != rels);
    let links = facts
        .links
        .iter()
        .filter(|link| is_other(&link.rels))
        .chain(&added.links)
        .cloned()
        .collect();
    let json_ld = facts.json_ld.iter().chain(&added.json_ld).cloned().collect();
    let before = Head {
        title: facts.title.clone(),
        description: facts.description.clone(),
        lang: facts.lang.clone(),
        metas: mem::replace(&mut facts.metas, metas),
        links: mem::replace(&mut facts.links, links),
        json_ld: mem::replace(&mut facts.json_ld, json_ld),
        directives: mem::take(&mut page.directives),
        markup,
    };
    facts.title = added.title.clone().or(facts.title.take());
    facts.description = added.description.clone().or(facts.description.take());
    facts.lang = added.lang.clone().or(facts.lang.take());
    page.directives = directives::all(page.page(), &page.response.headers);
    before
}

/// Where text ends up.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Where {
    /// After the main heading, or before everything.
    Begin,
    /// Somewhere behind; it was hidden before.
    Hidden,
}

/// Puts text into a page.
fn paste_text(page: &mut AuditedPage<'_>, html: &str, place: Where) -> Text {
    let document = Document::parse(format!("<main>{html}</main>").as_bytes(), None);
    let (new, shape) = document.content_and_shape();
    let new = without_nodes(new);
    let prose = Prose::measure(&new, page.language);
    let is_heading = |block: &Block| block.kind == BlockKind::Heading(1);
    let heading = page
        .content
        .blocks
        .iter()
        .position(is_heading)
        .filter(|_| !new.blocks.iter().any(is_heading));
    let (at, hidden_chars) = match place {
        Where::Begin => (heading.map_or(0, |heading| heading + 1), 0),
        Where::Hidden => (page.content.blocks.len(), new.chars.min(page.content.hidden_chars)),
    };
    let added = Text {
        at,
        blocks: new.blocks.len(),
        own_blocks: if at <= page.own_blocks { new.blocks.len() } else { 0 },
        hidden_chars,
        times: new.times.len(),
        pairs: new.pairs.len(),
        cells: new.cells,
        words: new.words,
        chars: new.chars,
        body_words: new.body_words,
        facts: prose.facts,
        sentences: page.prose.sentences.clone(),
        shape: Box::new(page.shape.clone()),
        ..paste_facts(page.document.page_mut(), document.page())
    };
    paste_content(&mut page.content, new, &added);
    page.shape = page.shape.with(&shape, place == Where::Begin);
    page.own_blocks += added.own_blocks;
    page.prose.blocks.splice(at..at, prose.blocks);
    page.prose.facts += prose.facts;
    page.prose.sentences.count += prose.sentences.count;
    page.prose.sentences.words += prose.sentences.words;
    page.prose.sentences.syllables += prose.sentences.syllables;
    page.facts.forget_those_of_text();
    added
}

/// Content whose evidence is never shown: its elements are those of another tree.
fn without_nodes(mut content: Content) -> Content {
    for block in &mut content.blocks {
        block.node = NodeId::default();
    }
    for time in &mut content.times {
        time.node = NodeId::default();
    }
    for pair in &mut content.pairs {
        pair.node = NodeId::default();
    }
    content
}

/// Puts headings, links and visible text before those of a page.
fn paste_facts(facts: &mut Page, new: &Page) -> Text {
    let headings = new.headings.iter().cloned().map(|mut heading| {
        heading.node = NodeId::default();
        heading
    });
    facts.headings.splice(0..0, headings);
    let anchors = new.anchors.iter().cloned().map(|mut anchor| {
        anchor.node = NodeId::default();
        anchor
    });
    facts.anchors.splice(0..0, anchors);
    let visible = format!("{}\n", new.visible_text);
    facts.visible_text.insert_str(0, &visible);
    Text {
        headings: new.headings.len(),
        anchors: new.anchors.len(),
        visible_bytes: visible.len(),
        ..Text::default()
    }
}

/// Inserts blocks at their places, and counts what is new.
fn paste_content(content: &mut Content, mut new: Content, added: &Text) {
    let at = added.at;
    for time in &mut content.times {
        time.block += if time.block >= at { added.blocks } else { 0 };
    }
    for time in &mut new.times {
        time.block += at;
    }
    content.blocks.splice(at..at, new.blocks);
    content.times.splice(0..0, new.times);
    content.pairs.splice(0..0, new.pairs);
    content.cells += added.cells;
    content.words += added.words;
    content.chars += added.chars;
    content.hidden_chars -= added.hidden_chars;
    content.body_words += added.body_words;
}

/// Adds properties to the entity that the page is about.
fn paste_members(page: &mut AuditedPage<'_>, lines: &str) -> Option<Markup> {
    let members = serde_json::from_str(&format!("{{{lines}}}")).ok()?;
    let main = MainEntity::for_any_profile(page)?;
    let markup = page.markup.completed(&main, &members)?;
    Some(mem::replace(&mut page.markup, markup))
}

impl Undo {
    fn run(self, page: &mut AuditedPage<'_>) {
        match self {
            Self::Markup(markup) => page.markup = markup,
            Self::Head(before) => {
                page.markup = before.markup;
                let facts = page.document.page_mut();
                facts.title = before.title;
                facts.description = before.description;
                facts.lang = before.lang;
                facts.metas = before.metas;
                facts.links = before.links;
                facts.json_ld = before.json_ld;
                page.directives = before.directives;
            }
            Self::Text(added) => added.remove(page),
        }
    }
}

impl Text {
    fn remove(self, page: &mut AuditedPage<'_>) {
        let end = self.at + self.blocks;
        let content = &mut page.content;
        content.blocks.drain(self.at..end);
        content.times.drain(..self.times);
        content.pairs.drain(..self.pairs);
        for time in &mut content.times {
            time.block -= if time.block >= end { self.blocks } else { 0 };
        }
        content.cells -= self.cells;
        content.words -= self.words;
        content.chars -= self.chars;
        content.hidden_chars += self.hidden_chars;
        content.body_words -= self.body_words;
        page.own_blocks -= self.own_blocks;
        page.prose.blocks.drain(self.at..end);
        page.prose.facts -= self.facts;
        page.prose.sentences = self.sentences;
        page.shape = *self.shape;
        let facts = page.document.page_mut();
        facts.headings.drain(..self.headings);
        facts.anchors.drain(..self.anchors);
        facts.visible_text.drain(..self.visible_bytes);
        page.facts.forget_those_of_text();
    }
}
