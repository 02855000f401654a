//! `Article`, from what the page says.

use serde_json::json;

use super::{Draft, Facts};

pub(super) fn draft(facts: &Facts) -> Draft {
    let mut draft = Draft::new("Article");
    draft.want("headline", facts.name.clone());
    draft.want("image", facts.image.clone());
    draft.want("datePublished", facts.published.clone());
    draft.want("dateModified", facts.modified.clone());
    draft.want(
        "author",
        facts.author.as_ref().map(|name| json!({ "@type": "Person", "name": name })),
    );
    if facts.author.is_some() {
        draft.needs.push("author.url");
    }
    draft.may("description", facts.description.clone());
    draft.may("inLanguage", facts.lang.clone());
    draft.may("mainEntityOfPage", facts.url.clone());
    draft.may(
        "publisher",
        facts.site.as_ref().map(|name| json!({ "@type": "Organization", "name": name })),
    );
    draft
}
