//! `CollectionPage` with its `ItemList`, from what the page says.

use serde_json::{Value, json};

use super::{Draft, Facts};

pub(super) fn draft(facts: &Facts) -> Draft {
    let mut draft = Draft::new("CollectionPage");
    draft.want("name", facts.name.clone());
    draft.want("description", facts.description.clone());
    draft.may("url", facts.url.clone());
    draft.want("mainEntity", list(facts));
    draft
}

fn list(facts: &Facts) -> Option<Value> {
    let item = |(at, (name, url)): (usize, &(String, String))| json!({ "@type": "ListItem", "position": at + 1, "name": name, "url": url });
    let items: Vec<Value> = facts.members.iter().enumerate().map(item).collect();
    (!items.is_empty()).then(|| json!({ "@type": "ItemList", "itemListElement": items }))
}
