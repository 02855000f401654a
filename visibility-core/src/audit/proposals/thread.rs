//! `DiscussionForumPosting`, from what the page says.

use serde_json::Value;

use super::Draft;
use crate::audit::facts::stated::{StatedFacts, value};

/// The post that began a thread. Who wrote it and when is only taken from where it is said for certain.
pub(super) fn draft(facts: &StatedFacts) -> Draft {
    let mut draft = Draft::new("DiscussionForumPosting", facts);
    draft.want("headline", facts.name());
    draft.want("text", facts.description.clone());
    draft.want("datePublished", value(facts.published.as_ref()));
    draft.may("dateModified", value(facts.modified.as_ref()));
    draft.may("url", facts.url.clone());
    let mut author = Draft::new("Person", facts);
    author.want_at("name", "author.name", None::<Value>);
    draft.may("author", Some(author.object));
    draft.inputs.extend(author.inputs);
    draft.may("inLanguage", facts.lang.clone());
    draft
}
