//! `Article` and `TechArticle`, from what the page says.

use serde_json::{Value, json};

use super::{Draft, StatedFacts, value};

pub(super) fn draft(facts: &StatedFacts) -> Draft {
    let mut draft = Draft::new("Article", facts);
    draft.want("headline", facts.name());
    draft.want("image", value(facts.image.as_ref()));
    draft.want("datePublished", value(facts.published.as_ref()));
    draft.want("dateModified", value(facts.modified.as_ref()));
    let mut author = Draft::new("Person", facts);
    author.want_at("name", "author.name", value(facts.author.as_ref()));
    author.want_at("url", "author.url", None::<Value>);
    draft.may("author", Some(author.object));
    draft.inputs.extend(author.inputs);
    draft.may("description", facts.description.clone());
    draft.may("inLanguage", facts.lang.clone());
    draft.may("mainEntityOfPage", facts.url.clone());
    draft.may("publisher", publisher(facts));
    draft
}

/// A `TechArticle`: documentation is written by many, so that it has no author.
pub(super) fn documentation(facts: &StatedFacts) -> Draft {
    let mut draft = Draft::new("TechArticle", facts);
    draft.want("headline", facts.name());
    draft.may("image", value(facts.image.as_ref()));
    draft.may("datePublished", value(facts.published.as_ref()));
    draft.want("dateModified", value(facts.modified.as_ref()));
    draft.may("description", facts.description.clone());
    draft.may("inLanguage", facts.lang.clone());
    draft.may("mainEntityOfPage", facts.url.clone());
    draft.may("publisher", publisher(facts));
    draft
}

fn publisher(facts: &StatedFacts) -> Option<Value> {
    let name = facts.site.as_ref()?;
    Some(json!({ "@type": "Organization", "name": name }))
}
