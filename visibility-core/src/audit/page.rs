//! The audited page: all inputs of a signal.

#[cfg(test)]
pub(crate) mod fixture;

use std::any::Any;

use chrono::NaiveDate;

use crate::audit::availability::folded_words;
use crate::audit::gap;
use crate::audit::markup::Markup;
use crate::audit::own_blocks;
use crate::audit::profile::features::Facts;
use crate::audit::profile::{PossibleProfiles, ProfileDecision};
use crate::audit::prose::Prose;
use crate::audit::prose::policy::TrustPage;
use crate::audit::snapshot::PageSnapshot;
use crate::audit::token_cost::TokenCost;
use crate::fetch::Response;
use crate::page::content::{Block, Content, Shape};
use crate::page::directives::{self, Directive};
use crate::page::language::Language;
use crate::page::{Document, NodeId, Page};
use crate::rubric::fact_cache::FactCache;
use crate::rubric::finding::Evidence;
use crate::rubric::fix::{FixInput, ReplacedText};
use crate::text::note::Note;

/// How many times the words of the main content those of the body may be, and from how many words on it is enough.
const MAX_BODY_TIMES: usize = 5;
const MIN_CERTAIN_WORDS: usize = 300;

/// A page that was read, with all that is derived from it once for many signals.
#[derive(Debug)]
pub struct AuditedPage<'a> {
    /// The page as it was found.
    pub snapshot: &'a PageSnapshot,
    /// The answer that it came with.
    pub response: &'a Response,
    /// The page with its tree.
    pub document: Document,
    /// What an answer engine reads of it.
    pub content: Content,
    /// How much there is of what on it.
    pub shape: Shape,
    /// How many blocks of the content are about the thing itself, and not about others.
    pub own_blocks: usize,
    /// What the markup says.
    pub markup: Markup,
    /// The language that the content is written in.
    pub language: Language,
    /// What it costs a language model.
    pub tokens: TokenCost,
    /// What its words measure.
    pub prose: Prose,
    /// Directives to crawlers: those of its elements in order, then those of its header.
    pub directives: Vec<Directive>,
    /// What kind of page it is, and why.
    pub decision: ProfileDecision,
    /// What was derived from it so far, because a signal asked for it.
    pub facts: PageFacts,
}

/// The facts of a page that were derived so far.
#[derive(Debug, Default)]
pub struct PageFacts {
    of_text: FactCache,
    of_the_rest: FactCache,
}

impl PageFacts {
    /// To be called whenever a simulated fix changes the text.
    pub(crate) fn forget_those_of_text(&mut self) {
        self.of_text = FactCache::default();
    }
}

/// What is derived from a page once, when a signal first asks for it. Most of them are in modules that import this one;
/// a page does not know what is derived from it.
pub(crate) trait PageFact: Any + Send + Sync {
    /// Whether a simulated fix that changes the text changes this fact, too, so that it must be derived again.
    const IS_OF_TEXT: bool;

    fn derive(page: &AuditedPage<'_>) -> Self;
}

/// The words of the visible text, folded, each between two spaces.
struct VisibleWords(String);

impl PageFact for VisibleWords {
    const IS_OF_TEXT: bool = true;

    fn derive(page: &AuditedPage<'_>) -> Self {
        Self(format!(" {} ", folded_words(&page.page().visible_text)))
    }
}

/// Links to pages that say who is behind the site, as places among the anchors.
struct Policies(Vec<(TrustPage, usize)>);

impl PageFact for Policies {
    const IS_OF_TEXT: bool = true;

    fn derive(page: &AuditedPage<'_>) -> Self {
        let anchors = page.page().anchors.iter().enumerate();
        Self(anchors.filter_map(|(at, anchor)| Some((TrustPage::from_link(anchor)?, at))).collect())
    }
}

impl<'a> AuditedPage<'a> {
    /// A fact, derived when it is first asked for.
    pub(crate) fn fact<T: PageFact>(&self) -> &T {
        let cache = if T::IS_OF_TEXT { &self.facts.of_text } else { &self.facts.of_the_rest };
        cache.get_or_derive(|| T::derive(self))
    }

    /// Reads a page.
    pub fn new(snapshot: &'a PageSnapshot, response: &'a Response) -> Self {
        let document = Document::parse(&response.body, response.headers.first("content-type"));
        let (content, shape) = document.content_and_shape();
        let own_blocks = own_blocks::count_own(&content);
        let markup = Markup::from_document(&document, &content);
        let language = Language::detect(&content);
        let tokens = TokenCost::estimate(&document, &content, language);
        let prose = Prose::measure(&content, language);
        let directives = directives::all(document.page(), &response.headers);
        let decision = snapshot.profile.map_or_else(
            || {
                let url = snapshot.location();
                let facts = Facts::new(document.page(), &content, &shape, &markup, url);
                ProfileDecision::detect(&facts)
            },
            ProfileDecision::chosen,
        );
        Self {
            snapshot,
            response,
            document,
            content,
            shape,
            own_blocks,
            markup,
            language,
            tokens,
            prose,
            directives,
            decision,
            facts: PageFacts::default(),
        }
    }

    /// The facts of the page.
    pub fn page(&self) -> &Page {
        self.document.page()
    }

    /// The words of the visible text, folded, each between two spaces.
    pub(crate) fn visible_words(&self) -> &str {
        &self.fact::<VisibleWords>().0
    }

    /// The links to pages that say who is behind the site, as places among the anchors.
    pub(crate) fn policies(&self) -> &[(TrustPage, usize)] {
        &self.fact::<Policies>().0
    }

    /// Whether the rest of the page says so much more than what was taken for its main content that we may have missed that.
    pub fn is_main_text_doubtful(&self) -> bool {
        let (words, body) = (self.content.words, self.content.body_words);
        words < MIN_CERTAIN_WORDS && body > words.saturating_mul(MAX_BODY_TIMES)
    }

    /// The profiles that the page may have.
    pub fn profiles(&self) -> PossibleProfiles {
        self.decision.profiles
    }

    /// The profiles that the page may have even if it changes a little: types are proposed for these alone.
    pub(crate) fn lasting_profiles(&self) -> PossibleProfiles {
        match (self.decision.profiles, self.decision.near()) {
            (PossibleProfiles::One(_), Some(near)) => near.profiles,
            (profiles, _) => profiles,
        }
    }

    /// Evidence from a place in the page: the text there, its line, counted from 1, and its path.
    pub fn evidence(&self, quote: &str, line: usize, node: NodeId) -> Evidence {
        Evidence::on_page(&self.response.url, quote, line, self.document.css_path(node))
    }

    /// The day of the audit.
    pub fn today(&self) -> NaiveDate {
        self.snapshot.taken_at.date_naive()
    }

    /// A placeholder for what the page does not say, and the input that fills it.
    pub(crate) fn gap(&self, name: &'static str) -> (String, FixInput) {
        gap::gap(name, self.today())
    }

    /// An element of the page as it is written: the one on this line with this name and this value of an
    /// attribute.
    pub(crate) fn element(&self, line: usize, name: &str, value: &str) -> Option<ReplacedText> {
        ReplacedText::element(self.document.html(), line, name, value)
    }

    /// A value of the page, else a placeholder, whose input is noted.
    pub(crate) fn or_gap(
        &self,
        value: Option<String>,
        name: &'static str,
        inputs: &mut Vec<FixInput>,
    ) -> String {
        value.unwrap_or_else(|| {
            let (text, input) = self.gap(name);
            inputs.push(input);
            text
        })
    }

    /// Evidence from a block of the content.
    pub fn block(&self, block: &Block) -> Evidence {
        self.evidence(&block.text, block.line, block.node)
    }

    /// Evidence from a header field of the answer.
    pub fn header(&self, name: &str, value: &str) -> Evidence {
        Evidence::from_response(self.response)
            .note(Note::new("header").with("name", name))
            .quote(&format!("{name}: {value}"))
    }
}
