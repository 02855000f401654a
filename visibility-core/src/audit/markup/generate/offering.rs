//! `SoftwareApplication` or `Service`, from what the page says.

use serde_json::Value;

use super::{Draft, Facts, product};

pub(super) fn draft(facts: &Facts) -> Draft {
    let kind = if facts.is_software { "SoftwareApplication" } else { "Service" };
    let mut draft = Draft::new(kind, facts);
    draft.want("name", facts.name.clone());
    draft.want("description", facts.description.clone());
    draft.may("url", facts.url.clone());
    draft.may("image", facts.image.clone());
    draft.want("provider", provider(facts));
    if facts.is_software {
        draft.want("applicationCategory", None::<Value>);
        draft.want("operatingSystem", None::<Value>);
    } else {
        draft.want("areaServed", None::<Value>);
    }
    if facts.is_software || facts.price.is_some() {
        let mut offer = product::offer(facts);
        if facts.availability.is_none() {
            offer.object.remove("availability");
        }
        draft.may("offers", Some(offer.object));
        draft.inputs.extend(offer.inputs);
    }
    draft
}

fn provider(facts: &Facts) -> Option<Value> {
    let mut provider = Draft::new("Organization", facts);
    provider.may("name", Some(facts.site.clone()?));
    provider.may("url", facts.home.clone());
    Some(Value::Object(provider.object))
}
