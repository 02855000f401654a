//! `CollectionPage` with its `ItemList`, from what the page says.

use serde_json::{Value, json};

use super::{Draft, StatedFacts, value};

pub(super) fn draft(facts: &StatedFacts) -> Draft {
    let mut draft = Draft::new("CollectionPage", facts);
    draft.want("name", facts.name());
    draft.want("description", facts.description.clone());
    draft.may("url", facts.url.clone());
    draft.may("inLanguage", facts.lang.clone());
    if let Some(items) = items(facts) {
        let mut list = Draft::new("ItemList", facts);
        list.may("itemListElement", Some(items));
        draft.may("mainEntity", Some(list.object));
    }
    draft
}

fn items(facts: &StatedFacts) -> Option<Value> {
    let items: Vec<Value> = value(facts.members.as_ref()).unwrap_or_default().into_iter().enumerate().map(|(at, (name, url))| json!({ "@type": "ListItem", "position": at + 1, "name": name, "url": url })).collect();
    (!items.is_empty()).then_some(Value::Array(items))
}
