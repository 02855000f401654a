//! Where a part is in a document.

use maud::{Markup, html};

use crate::report::labels::Labels;
use crate::text::markup::shown;

/// The place of a part: its language, the level of its headings, and what makes its ids unique.
#[derive(Clone, Debug)]
pub struct Place {
    /// The words of the part.
    labels: Labels,
    /// Level of the heading of the whole result.
    level: u8,
    /// Before every id.
    prefix: String,
}

impl Place {
    /// The place of a result that is the whole document: its heading is of the first level.
    pub fn new(labels: Labels) -> Self {
        Self { labels, level: 1, prefix: String::new() }
    }

    /// The same with the heading of the result at another level.
    #[must_use]
    pub fn with_level(mut self, level: u8) -> Self {
        self.level = level.max(1);
        self
    }

    /// The same with a prefix for ids, so that a document can have several results.
    #[must_use]
    pub fn with_prefix(mut self, prefix: &str) -> Self {
        prefix.clone_into(&mut self.prefix);
        self
    }

    /// The words of the part.
    pub fn labels(&self) -> Labels {
        self.labels
    }

    /// An id that the document has once.
    pub fn id(&self, id: &str) -> String {
        format!("{}{id}", self.prefix)
    }

    /// The id of a check or a signal.
    pub(in crate::report) fn check_id(&self, check: &str) -> String {
        self.id(&format!("check-{check}"))
    }

    /// The heading of the whole result.
    pub(in crate::report) fn title(&self, text: &str) -> Markup {
        heading(self.level, None, &html! { (shown(text)) })
    }

    /// The heading of a step, a check or a signal.
    pub(in crate::report) fn item_heading(&self, text: &str) -> Markup {
        heading(self.level.saturating_add(2), None, &html! { (shown(text)) })
    }

    /// A section with its heading, and what is beside that. Sections are not landmarks: there are many, and the headings
    /// lead through them.
    pub(in crate::report) fn section(
        &self,
        id: &str,
        title: &str,
        beside: &Markup,
        body: &Markup,
    ) -> Markup {
        let id = self.id(id);
        html! {
            section {
                div.head {
                    (heading(self.level.saturating_add(1), Some(&id), &html! { (shown(title)) }))
                    (beside)
                }
                (body)
            }
        }
    }
}

/// A heading with an id if it has one. No level is below the sixth.
fn heading(level: u8, id: Option<&str>, content: &Markup) -> Markup {
    html! {
        @match level {
            1 => { h1 id=[id] { (content) } }
            2 => { h2 id=[id] { (content) } }
            3 => { h3 id=[id] { (content) } }
            4 => { h4 id=[id] { (content) } }
            5 => { h5 id=[id] { (content) } }
            _ => { h6 id=[id] { (content) } }
        }
    }
}
