//! Locates a syntax error in a JSON body and says what was expected.

/// The parser's message, and what it means for the author of the body. The parser's own words are
/// never shown: some quote what they found.
const MEANINGS: [(&str, &str); 20] = [
    ("invalid type", OBJECT),
    ("EOF while parsing", "the rest of the body"),
    ("expected `:`", "`:`"),
    ("expected `,` or `]`", "`,` or `]`"),
    ("expected `,` or `}`", "`,` or `}`"),
    ("expected ident", "a JSON value"),
    ("expected value", "a JSON value"),
    ("expected `\"`", "`\"`"),
    ("invalid escape", "a JSON escape"),
    ("invalid number", "a JSON number"),
    ("number out of range", "a smaller number"),
    ("invalid unicode code point", "a JSON escape"),
    ("control character", "no control characters"),
    ("key must be a string", "a name in double quotes"),
    ("lone leading surrogate", "a JSON escape"),
    ("lone surrogate", "a JSON escape"),
    ("unexpected end of hex escape", "a JSON escape"),
    ("trailing comma", "no comma after the last member"),
    ("trailing characters", "the end of the body"),
    ("recursion limit exceeded", "fewer levels of nesting"),
];
const OBJECT: &str = "a JSON object";

/// Where a body stops being JSON. Lines begin with 1, columns are bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct JsonSyntaxError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// In words for people, in English.
    pub(crate) expected: &'static str,
    /// Whether there is nothing at all.
    pub(crate) is_empty: bool,
}

impl JsonSyntaxError {
    fn at(line: usize, column: usize, expected: &'static str) -> Self {
        Self { line, column, expected, is_empty: false }
    }
}

/// The text of a body that may be JSON.
///
/// # Errors
///
/// When it is empty, or is not UTF-8, or begins with a byte order mark (RFC 8259 section 8.1).
pub(crate) fn text(bytes: &[u8]) -> Result<&str, JsonSyntaxError> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = valid.split(|byte| *byte == b'\n').count();
        let start = valid.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        JsonSyntaxError::at(line, valid.len() - start + 1, "text in UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        return Err(JsonSyntaxError::at(1, 1, "no byte order mark"));
    }
    if text.trim_ascii().is_empty() {
        return Err(JsonSyntaxError { is_empty: true, ..JsonSyntaxError::at(1, 1, OBJECT) });
    }
    Ok(text)
}

impl From<serde_json::Error> for JsonSyntaxError {
    fn from(error: serde_json::Error) -> Self {
        let said = error.to_string();
        let known = MEANINGS.iter().find(|(words, _)| said.starts_with(words));
        let expected = known.map_or("JSON", |(_, expected)| expected);
        Self::at(error.line(), error.column().max(1), expected)
    }
}
