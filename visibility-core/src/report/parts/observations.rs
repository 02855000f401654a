//! What was noticed and does not count.

use maud::{Markup, html};

use crate::report::parts::Place;
use crate::scan::result::ScanResult;
use crate::text::markup::{sentence, shown};

/// The observations of a scan; nothing without any.
pub fn render(result: &ScanResult, place: &Place) -> Markup {
    if result.observations.is_empty() {
        return html! {};
    }
    let items = html! {
        ul.card.pad.plain {
            @for observation in &result.observations {
                li {
                    (sentence(&observation.text))
                    @if let Some(url) = &observation.url { " " code { (shown(url)) } }
                }
            }
        }
    };
    place.section("observations", &place.labels().label("observations"), &html! {}, &items)
}
