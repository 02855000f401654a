//! The type of a value, in words.

use serde_json::Value;

/// A type: words, and among them the name of a schema.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct TypeLabel {
    /// The text before the name.
    pub(crate) before: String,
    /// Name of a schema.
    pub(crate) schema: Option<String>,
    /// The text after the name.
    pub(crate) after: String,
}

impl TypeLabel {
    /// The type that a schema describes.
    pub(crate) fn from_schema(schema: &Value) -> Self {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let name = reference.rsplit('/').next().unwrap_or_default();
            return Self { schema: Some(name.to_owned()), ..Self::default() };
        }
        if let Some([first, ..]) = schema.get("oneOf").and_then(Value::as_array).map(Vec::as_slice)
        {
            let inner = Self::from_schema(first);
            return Self { after: format!("{} or null", inner.after), ..inner };
        }
        if let Some(lines) = schema.get("contentSchema") {
            return Self { before: "lines of ".to_owned(), ..Self::from_schema(lines) };
        }
        if let Some(items) = schema.get("items") {
            let inner = Self::from_schema(items);
            return Self { before: format!("array of {}", inner.before), ..inner };
        }
        let mut words = match schema.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join(" or ")
            }
            _ => "any".to_owned(),
        };
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            let values: Vec<String> =
                values.iter().filter_map(Value::as_str).map(|value| format!("`{value}`")).collect();
            words = values.join(" or ");
        }
        // The sizes of numbers are visible from their bounds.
        let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
        if !matches!(format, "" | "int32" | "int64" | "double") {
            words.push_str(&format!(", {format}"));
        }
        Self { before: words, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(schema: &Value) -> String {
        let TypeLabel { before, schema, after } = TypeLabel::from_schema(schema);
        format!("{before}{}{after}", schema.unwrap_or_default())
    }

    #[test]
    fn a_type_is_described_in_words() {
        for (schema, expected) in [
            (json!({"type": "string"}), "string"),
            (json!({"type": ["integer", "null"], "format": "int32"}), "integer or null"),
            (json!({"type": "string", "format": "date-time"}), "string, date-time"),
            (json!({"type": "string", "enum": ["en", "tr"]}), "`en` or `tr`"),
            (json!({"$ref": "#/components/schemas/Tier"}), "Tier"),
            (
                json!({"oneOf": [{"$ref": "#/components/schemas/Tier"}, {"type": "null"}]}),
                "Tier or null",
            ),
            (
                json!({"type": "array", "items": {"$ref": "#/components/schemas/Tier"}}),
                "array of Tier",
            ),
            (json!({"type": "array", "items": {"type": "string"}}), "array of string"),
            (json!({}), "any"),
        ] {
            assert_eq!(words(&schema), expected);
        }
    }
}
