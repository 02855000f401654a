//! `SoftwareApplication` or `Service`, from what the page says.

use serde_json::Value;

use super::{Draft, Facts, product};

pub(super) fn draft(facts: &Facts) -> Draft {
    let mut draft = Draft::new(if facts.is_software { "SoftwareApplication" } else { "Service" });
    draft.want("name", facts.name.clone());
    draft.want("description", facts.description.clone());
    draft.may("url", facts.url.clone());
    draft.may("image", facts.image.clone());
    draft.want("provider", provider(facts));
    if facts.is_software {
        draft.needs.extend(["applicationCategory", "operatingSystem"]);
    } else {
        draft.needs.push("areaServed");
    }
    if facts.price.is_some() {
        let (offer, needs) = product::offer(facts);
        draft.may("offers", offer);
        draft.needs.extend(needs.into_iter().filter(|path| *path != "offers.availability"));
    } else {
        draft.needs.push("offers.price");
    }
    draft
}

fn provider(facts: &Facts) -> Option<Value> {
    let mut provider = Draft::new("Organization");
    provider.may("name", Some(facts.site.clone()?));
    provider.may("url", facts.home.clone());
    Some(Value::Object(provider.object))
}
