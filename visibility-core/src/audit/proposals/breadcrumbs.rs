//! `BreadcrumbList`, from the path that the page shows.

use serde_json::{Value, json};

use super::{Draft, StatedFacts, value};

/// The path of the page; `None` if it shows none. The page itself comes last.
pub(super) fn draft(facts: &StatedFacts) -> Option<Draft> {
    let mut steps = value(facts.breadcrumbs.as_ref())?;
    steps.push((facts.name()?, facts.url.clone()?));
    if steps.len() < 2 {
        return None;
    }
    let items: Vec<Value> = steps.iter().enumerate().map(|(at, (name, url))| json!({ "@type": "ListItem", "position": at + 1, "name": name, "item": url })).collect();
    let mut draft = Draft::new("BreadcrumbList", facts);
    draft.may("itemListElement", Some(items));
    Some(draft)
}
