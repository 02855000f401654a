//! Forms of a page.

use html5ever::{LocalName, local_name};

use crate::page::element::Element;
use crate::page::text::collapse;
use crate::page::{Form, FormField};

pub(super) const MAX_FORMS: usize = 200;
const MAX_FIELDS: usize = 200;
const MAX_BUTTONS: usize = 50;
const MAX_HINT_CHARS: usize = 500;
const MAX_BUTTON_CHARS: usize = 200;

/// Reads a form without its controls.
pub(super) fn read(element: &Element, line: usize) -> Form {
    let text = |name| element.attribute(name).map(|value| value.trim().to_owned());
    let hints = ["role", "id", "class", "name"].map(|name| element.attribute(name).unwrap_or(""));
    let method = element.attribute("method").map(|method| method.trim().to_ascii_lowercase());
    Form {
        action: text("action").unwrap_or_default(),
        method: method.filter(|method| !method.is_empty()).unwrap_or_else(|| "get".to_owned()),
        hints: collapse(&hints.join(" ").to_lowercase(), MAX_HINT_CHARS),
        tool_name: text("toolname"),
        tool_description: text("tooldescription"),
        fields: Vec::new(),
        buttons: Vec::new(),
        line,
    }
}

/// Adds a field or button; whether it is a button whose text is still to come.
pub(super) fn add_control(form: &mut Form, element: &Element, name: &LocalName) -> bool {
    if *name == local_name!("button") {
        return true;
    }
    let lower = |name| element.attribute(name).map(|value| value.trim().to_lowercase());
    let kind = if *name == local_name!("input") {
        lower("type").filter(|kind| !kind.is_empty()).unwrap_or_else(|| "text".to_owned())
    } else {
        name.to_string()
    };
    if matches!(kind.as_str(), "submit" | "button" | "image") {
        let label = element.attribute("value").or_else(|| element.attribute("alt"));
        add_button(form, label.unwrap_or_default());
    } else if form.fields.len() < MAX_FIELDS {
        form.fields.push(FormField { kind, name: lower("name").unwrap_or_default() });
    }
    false
}

/// Adds the text of a button.
pub(super) fn add_button(form: &mut Form, text: &str) {
    let text = collapse(&text.to_lowercase(), MAX_BUTTON_CHARS);
    if !text.is_empty() && form.buttons.len() < MAX_BUTTONS {
        form.buttons.push(text);
    }
}
