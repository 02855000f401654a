//! Finds the element with the main content of a page.

use crate::page::content::Root;
use crate::page::content::mark::Landmark;
use crate::page::content::measure::is_share;
use crate::page::tree::NodeId;

/// Text of the body that `main` must hold, in percent.
const MIN_MAIN_TEXT: u64 = 40;
/// Text of `main` that the article must hold, in percent.
const MIN_ARTICLE_TEXT: u64 = 55;

/// An element that may be the root.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    node: NodeId,
    /// Characters that are left of it once the chrome is gone.
    chars: u32,
    /// Headings of the first level in it.
    h1s: usize,
}

/// The candidates for the root.
#[derive(Debug, Default)]
pub(super) struct RootSearch {
    /// Headings of the first level up to here.
    h1s: usize,
    /// Open candidates, with the headings and the characters before them.
    open: Vec<(NodeId, usize, u32)>,
    within_main: Option<NodeId>,
    /// The `main` with the most text, and the article in it with the most text.
    main: Option<Candidate>,
    article_of_main: Option<Candidate>,
    /// The article with the most text in the open `main`, and anywhere.
    article_in_open: Option<Candidate>,
    article: Option<Candidate>,
}

impl RootSearch {
    /// Whether there was a heading of the first level.
    pub(super) fn has_title(&self) -> bool {
        self.h1s > 0
    }

    /// Begins an element before which so many characters are left.
    pub(super) fn enter(&mut self, id: NodeId, landmark: Landmark, before: u32) {
        if matches!(landmark, Landmark::Main | Landmark::Article) {
            self.open.push((id, self.h1s, before));
        }
        if landmark == Landmark::Main && self.within_main.is_none() {
            self.within_main = Some(id);
            self.article_in_open = None;
        }
        self.h1s += usize::from(landmark == Landmark::MainTitle);
    }

    /// Ends an element up to whose end so many characters are left.
    pub(super) fn leave(&mut self, id: NodeId, landmark: Landmark, chars: u32) {
        let open = self.open.pop_if(|(node, ..)| *node == id);
        let Some((node, h1s, before)) = open else { return };
        let chars = chars.saturating_sub(before);
        let found = Candidate { node, chars, h1s: self.h1s - h1s };
        if landmark == Landmark::Article {
            keep_larger(&mut self.article_in_open, found);
            keep_larger(&mut self.article, found);
        } else if self.within_main == Some(id) {
            self.within_main = None;
            if keep_larger(&mut self.main, found) {
                self.article_of_main = self.article_in_open;
            }
        }
    }

    /// The root of a body of which so many characters are left.
    pub(super) fn root(&self, chars: u32) -> Root {
        let main = self.main.filter(|main| is_share(main.chars, chars, MIN_MAIN_TEXT));
        let (whole, article) = match main {
            Some(main) => (main, self.article_of_main),
            None => (Candidate { node: NodeId::DOCUMENT, chars, h1s: self.h1s }, self.article),
        };
        // An article beside the title of the page is a teaser or a banner.
        let article = article
            .filter(|article| is_share(article.chars, whole.chars, MIN_ARTICLE_TEXT))
            .filter(|article| article.h1s > 0 || whole.h1s == 0);
        match (article, main) {
            (Some(article), _) => Root::Article(article.node),
            (None, Some(main)) => Root::Main(main.node),
            (None, None) => Root::Body,
        }
    }
}

/// Keeps the candidate with more text; whether it is the new one.
fn keep_larger(known: &mut Option<Candidate>, found: Candidate) -> bool {
    let is_larger = known.is_none_or(|known| found.chars > known.chars);
    if is_larger {
        *known = Some(found);
    }
    is_larger
}
