//! JSON-LD to paste, filled from what the page says itself.
//!
//! What the page does not say is left out and named, never made up; ratings are never written.

mod article;
mod breadcrumbs;
mod collection;
mod offering;
mod organization;
mod product;
#[cfg(test)]
mod tests;
mod thread;

use chrono::NaiveDate;
use serde_json::{Map, Value, json};

use crate::audit::facts::stated::{StatedFacts, value};
use crate::audit::gap;
use crate::audit::profile::{PossibleProfiles, Profile};
use crate::audit::signal::{SnippetFix, SnippetLanguage};
use crate::rubric::fix::{FixInput, Placement};

/// Bytes of a snippet that is offered to paste.
const MAX_SNIPPET_BYTES: usize = 20_000;

/// An entity to paste.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub(crate) object: Map<String, Value>,
    /// Placeholders for what the page does not say.
    pub(crate) inputs: Vec<FixInput>,
    /// The day of the audit, an example for dates.
    today: NaiveDate,
}

impl Draft {
    /// The entity of a page; `None` where nothing shows which type is the right one, such as where its profile is not
    /// certain.
    pub(crate) fn for_page(facts: &StatedFacts, profiles: PossibleProfiles) -> Option<Self> {
        match profiles.certain()? {
            Profile::Product => Some(Self::product(facts)),
            Profile::Article => Some(article::draft(facts)),
            Profile::Documentation => Some(article::documentation(facts)),
            Profile::Forum => Some(thread::draft(facts)),
            Profile::Collection | Profile::Listing => Some(collection::draft(facts)),
            Profile::Landing => offering::draft(facts),
        }
    }

    /// A product with its offer.
    pub(crate) fn product(facts: &StatedFacts) -> Self {
        product::draft(facts)
    }

    /// The organization behind the page.
    pub(crate) fn organization(facts: &StatedFacts) -> Self {
        organization::draft(facts)
    }

    /// The place of the page in its site; `None` if the page shows no such path.
    pub(crate) fn breadcrumbs(facts: &StatedFacts) -> Option<Self> {
        breadcrumbs::draft(facts)
    }

    fn new(kind: &str, facts: &StatedFacts) -> Self {
        let object = Map::from_iter([("@type".to_owned(), Value::from(kind))]);
        Self { object, inputs: Vec::new(), today: facts.today }
    }

    /// Sets a property, to a placeholder if there is no value.
    fn want(&mut self, key: &'static str, value: Option<impl Into<Value>>) {
        self.want_at(key, key, value);
    }

    /// Sets a property whose placeholder is known by its path, such as `offers.price`.
    fn want_at(&mut self, key: &str, path: &str, value: Option<impl Into<Value>>) {
        let value = value.map(Into::into).or_else(|| {
            let (value, inputs) = gap::property(path, self.today)?;
            self.inputs.extend(inputs);
            Some(value)
        });
        self.may(key, value);
    }

    /// Sets a property if there is a value.
    fn may(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.object.insert(key.to_owned(), value.into());
        }
    }

    /// A `script` to paste into the head.
    pub(crate) fn script(self) -> Option<SnippetFix> {
        script(vec![self])
    }
}

/// A `script` with these entities.
pub(crate) fn script(mut drafts: Vec<Draft>) -> Option<SnippetFix> {
    let inputs: Vec<FixInput> =
        drafts.iter().flat_map(|draft| draft.inputs.iter().cloned()).collect();
    let context = ("@context".to_owned(), Value::from("https://schema.org"));
    let document = if drafts.len() == 1 {
        let mut object = drafts.pop()?.object;
        object.extend([context]);
        Value::Object(object)
    } else {
        let graph: Vec<Value> =
            drafts.into_iter().map(|draft| Value::Object(draft.object)).collect();
        json!({ "@context": context.1, "@graph": graph })
    };
    let text = pretty(&document)?;
    let snippet = format!("<script type=\"application/ld+json\">\n{text}\n</script>");
    Some(SnippetFix::new(Placement::Head, SnippetLanguage::Html, snippet).with_inputs(inputs))
}

/// Lines to add to an object that is there: its braces are left out.
pub(crate) fn lines(members: Map<String, Value>) -> Option<String> {
    if members.is_empty() {
        return None;
    }
    let text = pretty(&Value::Object(members))?;
    let inner = text.strip_prefix("{\n")?.strip_suffix("\n}")?;
    let lines: Vec<&str> =
        inner.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    Some(lines.join("\n"))
}

/// A value as text that ends no `script` element and opens no comment in one.
pub(crate) fn pretty(value: &Value) -> Option<String> {
    let text = serde_json::to_string_pretty(value).ok()?;
    let text = for_script(&text);
    (text.len() <= MAX_SNIPPET_BYTES).then_some(text)
}

/// JSON that can be in a `script` element.
pub(crate) fn for_script(json: &str) -> String {
    json.replace("</", "<\\/").replace("<!--", "\\u003c!--")
}
