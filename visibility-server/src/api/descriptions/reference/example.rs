//! Examples for people: members in the order of their schema.

use serde_json::Value;

use super::members;

/// A value as JSON, indented.
pub(super) fn ordered(api: &Value, schema: &Value, value: &Value) -> String {
    let mut text = String::new();
    write(api, schema, value, &mut Output { text: &mut text, depth: 0 });
    text
}

struct Output<'a> {
    text: &'a mut String,
    depth: usize,
}

impl Output<'_> {
    fn line(&mut self) {
        self.text.push('\n');
        self.text.push_str(&"  ".repeat(self.depth));
    }

    /// Writes the content of two brackets, one item a line.
    fn items<T>(&mut self, brackets: [char; 2], items: Vec<T>, mut item: impl FnMut(&mut Self, T)) {
        let [open, close] = brackets;
        self.text.push(open);
        let is_empty = items.is_empty();
        self.depth += 1;
        for (index, one) in items.into_iter().enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            self.line();
            item(self, one);
        }
        self.depth -= 1;
        if !is_empty {
            self.line();
        }
        self.text.push(close);
    }
}

fn write(api: &Value, schema: &Value, value: &Value, output: &mut Output<'_>) {
    let schema = resolved(api, schema);
    match value {
        Value::Object(object) => {
            let members = members(api, schema);
            let of = |name: &str| {
                members.iter().find(|(known, _, _)| *known == name).map(|(_, member, _)| *member)
            };
            let mut names: Vec<&str> = members
                .iter()
                .map(|(name, _, _)| *name)
                .filter(|name| object.contains_key(*name))
                .collect();
            names.extend(object.keys().map(String::as_str).filter(|name| of(name).is_none()));
            output.items(['{', '}'], names, |output, name| {
                output.text.push_str(&format!("{}: ", Value::from(name)));
                let member = of(name).unwrap_or(&Value::Null);
                write(api, member, object.get(name).unwrap_or(&Value::Null), output);
            });
        }
        Value::Array(values) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            output.items(['[', ']'], values.iter().collect(), |output, value| {
                write(api, items, value, output);
            });
        }
        plain => output.text.push_str(&plain.to_string()),
    }
}

/// The schema behind a reference, or behind one that may be null.
fn resolved<'a>(api: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = schema.pointer("/oneOf/0").unwrap_or(schema);
    let reference = schema.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|reference| reference.strip_prefix('#'));
    target.and_then(|pointer| api.pointer(pointer)).unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_stand_in_the_order_of_their_schema() {
        let api = json!({ "components": { "schemas": { "B": {
            "required": ["z", "y"],
            "properties": { "y": {}, "z": {} }
        } } } });
        let schema = json!({
            "required": ["m", "b"],
            "properties": {
                "a": {}, "m": {},
                "b": { "type": "array", "items": { "$ref": "#/components/schemas/B" } }
            }
        });
        let value = json!({ "a": null, "b": [{ "y": 1, "z": [] }], "m": {}, "other": "\"" });
        let expected = "{\n  \"m\": {},\n  \"b\": [\n    {\n      \"z\": [],\n      \"y\": 1\n    }\n  ],\n  \"a\": null,\n  \"other\": \"\\\"\"\n}";
        assert_eq!(ordered(&api, &schema, &value), expected);
    }
}
