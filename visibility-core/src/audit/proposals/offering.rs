//! `SoftwareApplication` or `Service`, from what the page says.

use serde_json::Value;

use super::{Draft, StatedFacts, product, value};
use crate::audit::facts::stated::Offering;
use crate::audit::facts::subject;

/// The offering; `None` if no sign shows that there is one, and of which type.
pub(super) fn draft(facts: &StatedFacts) -> Option<Draft> {
    let kind = match facts.offering? {
        Offering::Software => "SoftwareApplication",
        Offering::Service => "Service",
    };
    let is_software = kind == "SoftwareApplication";
    let mut draft = Draft::new(kind, facts);
    draft.want("name", facts.name().filter(|name| subject::is_name(name)));
    draft.want("description", facts.description.clone());
    draft.may("url", facts.url.clone());
    draft.may("image", value(facts.image.as_ref()));
    draft.want("provider", provider(facts));
    if is_software {
        draft.want("applicationCategory", None::<Value>);
        draft.want("operatingSystem", None::<Value>);
    } else {
        draft.want("areaServed", None::<Value>);
    }
    if is_software || facts.price.is_some() {
        let offer = product::offer(facts);
        draft.may("offers", Some(offer.object));
        draft.inputs.extend(offer.inputs);
    }
    Some(draft)
}

fn provider(facts: &StatedFacts) -> Option<Value> {
    let mut provider = Draft::new("Organization", facts);
    provider.may("name", Some(facts.site.clone()?));
    provider.may("url", facts.home.clone());
    Some(Value::Object(provider.object))
}
