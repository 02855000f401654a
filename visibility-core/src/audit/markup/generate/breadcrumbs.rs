//! `BreadcrumbList`, from the path that the page shows.

use serde_json::{Value, json};

use super::{Draft, PageFacts};

/// The path of the page; `None` if it shows none. The page itself comes last.
pub(super) fn draft(facts: &PageFacts) -> Option<Draft> {
    let mut steps = facts.breadcrumbs.clone();
    if let (Some(name), Some(url)) = (&facts.name, &facts.url)
        && steps.last().is_some_and(|(_, last)| last != url)
    {
        steps.push((name.clone(), url.clone()));
    }
    if steps.len() < 2 {
        return None;
    }
    let items: Vec<Value> = steps.iter().enumerate().map(|(at, (name, url))| json!({ "@type": "ListItem", "position": at + 1, "name": name, "item": url })).collect();
    let mut draft = Draft::new("BreadcrumbList", facts);
    draft.may("itemListElement", Some(items));
    Some(draft)
}
