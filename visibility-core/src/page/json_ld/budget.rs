//! Limits how much of the JSON-LD of a page is read.

use serde_json::{Map, Value};

/// Objects, lists and commas that are read of the JSON-LD of one page.
const MAX_WEIGHT: usize = 60_000;
/// Values that the nodes of a page may hold together; an inner node is in its outer ones too.
const MAX_VALUES: usize = 2 * MAX_WEIGHT;
/// Bytes of names and strings that the nodes of a page may hold together.
pub(super) const MAX_BYTES: usize = 4 * 1024 * 1024;
/// What may still be read of the JSON-LD of a page.
pub(crate) struct JsonLdBudget {
    weight: usize,
    values: usize,
    bytes: usize,
}

impl Default for JsonLdBudget {
    fn default() -> Self {
        Self { weight: MAX_WEIGHT, values: MAX_VALUES, bytes: MAX_BYTES }
    }
}

impl JsonLdBudget {
    /// Takes the room of this many objects, lists and commas; `None` if there is not enough of it.
    pub(super) fn spend_weight(&mut self, weight: usize) -> Option<()> {
        self.weight = self.weight.checked_sub(weight)?;
        Some(())
    }

    /// Takes the room of a node; `None` if there is not enough of it.
    pub(super) fn spend_node(&mut self, object: &Map<String, Value>) -> Option<()> {
        let (values, bytes) = size_of(object);
        let left = (self.values.checked_sub(values)?, self.bytes.checked_sub(bytes)?);
        (self.values, self.bytes) = left;
        Some(())
    }
}

/// Values within an object, its own included, and the bytes of its names and strings.
fn size_of(object: &Map<String, Value>) -> (usize, usize) {
    let names = |object: &Map<String, Value>| object.keys().map(String::len).sum::<usize>();
    let (mut values, mut bytes) = (1, names(object));
    let mut open: Vec<&Value> = object.values().collect();
    while let Some(value) = open.pop() {
        values += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(object) => {
                bytes += names(object);
                open.extend(object.values());
            }
            Value::String(text) => bytes += text.len(),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    (values, bytes)
}
