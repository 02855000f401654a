//! Results of earlier scans, read from a file.

use std::fs;
use std::io::Read;
use std::path::Path;

use serde_json::Value;
use visibility_core::scan::result::ScanResult;

use crate::failure::CommandFailure;

const HINT: &str = "make one with `visibility scan example.com --format json -o scan.json`";

/// The results in a file of `scan --format json` or `ndjson`; `-` is standard input. Domains that
/// had no result are left out.
pub(crate) fn read(path: &Path) -> Result<Vec<ScanResult>, CommandFailure> {
    let mut text = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut text).map_err(CommandFailure::Stdin)?;
    } else {
        text = fs::read(path)
            .map_err(|source| CommandFailure::Read { path: path.to_owned(), source })?;
    }
    parse(&text).map_err(|reason| {
        let message = format!("`{}` is not a result of a scan: {reason}", path.display());
        CommandFailure::usage_with(message, HINT)
    })
}

/// The one result in a file.
pub(crate) fn read_one(path: &Path) -> Result<ScanResult, CommandFailure> {
    let mut results = read(path)?;
    match (results.pop(), results.is_empty()) {
        (Some(result), true) => Ok(result),
        (Some(_), false) => Err(CommandFailure::usage_with(
            format!("`{}` has the results of several domains", path.display()),
            "give a file with one",
        )),
        (None, _) => Err(CommandFailure::usage_with(
            format!("`{}` has no result of a scan", path.display()),
            HINT,
        )),
    }
}

fn parse(text: &[u8]) -> Result<Vec<ScanResult>, String> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut results = Vec::new();
    for value in serde_json::Deserializer::from_slice(text).into_iter::<Value>() {
        match value.map_err(|error| error.to_string())? {
            Value::Array(values) => {
                for value in values {
                    results.extend(result(value)?);
                }
            }
            value => results.extend(result(value)?),
        }
    }
    Ok(results)
}

/// `None` for a domain that had no result.
fn result(value: Value) -> Result<Option<ScanResult>, String> {
    if value.get("error").is_some_and(Value::is_object) {
        return Ok(None);
    }
    serde_json::from_value(value).map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = include_str!("../../visibility-core/testdata/reports/hostile.json");

    #[test]
    fn an_object_an_array_and_lines_are_read() {
        let line = RESULT.replace('\n', " ");
        let failed = r#"{"domain":"a.com","error":{"code":"INVALID_DOMAIN"}}"#;
        let cases = [
            (RESULT.to_owned(), 1),
            (format!("[{RESULT},{RESULT}]"), 2),
            (format!("{line}\n{failed}\n{line}\n"), 2),
            (format!("\u{feff}{RESULT}"), 1),
            (String::new(), 0),
            ("[]".to_owned(), 0),
        ];
        for (text, count) in cases {
            assert_eq!(parse(text.as_bytes()).map(|results| results.len()), Ok(count));
        }
    }

    #[test]
    fn anything_else_is_refused_with_its_place() {
        for (text, part) in [
            ("not json", "expected ident at line 1 column 2"),
            ("{\"domain\":\"a\"}", "missing field"),
            ("3", "invalid type"),
            ("[[]]", "invalid"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
