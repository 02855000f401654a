//! Results of earlier scans and audits, read from a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::Value;
use visibility_core::audit::result::AuditResult;
use visibility_core::scan::result::ScanResult;

use crate::error::CommandError;

/// Bytes of a file of results that are read at most: 256 MiB.
const MAX_RESULTS_BYTES: usize = 256 * 1024 * 1024;

/// A kind of result.
pub(crate) trait SavedResult: Sized {
    /// What it is a result of.
    const OF: &'static str;
    /// How to make a file of it.
    const HINT: &'static str;

    /// The rules that it follows.
    fn rubric(&self) -> &str;

    /// This kind of result, if it is one.
    fn from_any(result: AnyResult) -> Option<Self>;
}

impl SavedResult for ScanResult {
    const OF: &'static str = "a scan";
    const HINT: &'static str =
        "create one with `visibility scan example.com --format json -o scan.json`";

    fn rubric(&self) -> &str {
        &self.rubric_version
    }

    fn from_any(result: AnyResult) -> Option<Self> {
        match result {
            AnyResult::Scan(result) => Some(*result),
            AnyResult::Audit(_) => None,
        }
    }
}

impl SavedResult for AuditResult {
    const OF: &'static str = "an audit";
    const HINT: &'static str =
        "create one with `visibility audit https://example.com/ --format json -o audit.json`";

    fn rubric(&self) -> &str {
        &self.rubric_version
    }

    fn from_any(result: AnyResult) -> Option<Self> {
        match result {
            AnyResult::Audit(result) => Some(*result),
            AnyResult::Scan(_) => None,
        }
    }
}

impl SavedResult for AnyResult {
    const OF: &'static str = "a scan or an audit";
    const HINT: &'static str =
        "create one with `visibility scan` or `visibility audit` and `--format json -o FILE`";

    fn rubric(&self) -> &str {
        match self {
            Self::Scan(result) => &result.rubric_version,
            Self::Audit(result) => &result.rubric_version,
        }
    }

    fn from_any(result: AnyResult) -> Option<Self> {
        Some(result)
    }
}

/// A result of any kind.
#[derive(Debug)]
pub(crate) enum AnyResult {
    Scan(Box<ScanResult>),
    Audit(Box<AuditResult>),
}

impl AnyResult {
    /// What it is.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Scan(_) => "the result of a scan",
            Self::Audit(_) => "the result of an audit",
        }
    }
}

/// The results in a file to compare with, which must be some, of these rules.
pub(crate) fn read_baseline<R: SavedResult>(
    path: &Path,
    rubric: &str,
) -> Result<Vec<R>, CommandError> {
    let results = read::<R>(path)?;
    if results.is_empty() {
        return Err(CommandError::usage(format!(
            "the baseline `{}` has no result",
            path.display()
        )));
    }
    match results.iter().find(|result| result.rubric() != rubric) {
        None => Ok(results),
        Some(other) => Err(CommandError::usage_with(
            format!(
                "the baseline `{}` uses rubric {}, but this program uses {rubric}",
                path.display(),
                other.rubric()
            ),
            "create a new baseline with `--format json`: scores of different rubrics \
                cannot be compared",
        )),
    }
}

/// The results in a file of `--format json` or `ndjson`; `-` is standard input. What had no result
/// is left out.
pub(crate) fn read<R: SavedResult>(path: &Path) -> Result<Vec<R>, CommandError> {
    let text = if path == Path::new("-") {
        read_capped(io::stdin().lock(), MAX_RESULTS_BYTES).map_err(CommandError::Stdin)?
    } else {
        File::open(path)
            .and_then(|file| read_capped(file, MAX_RESULTS_BYTES))
            .map_err(|source| CommandError::Read { path: path.to_owned(), source })?
    };
    let Some(text) = text else {
        return Err(CommandError::usage_with(
            format!("`{}` is larger than 256 MiB, the limit for results", path.display()),
            "put fewer results into one file",
        ));
    };
    let results: Option<Vec<R>> = parse(&text)
        .map_err(|reason| {
            let message = format!("`{}` is not a result of {}: {reason}", path.display(), R::OF);
            CommandError::usage_with(message, R::HINT)
        })?
        .into_iter()
        .map(R::from_any)
        .collect();
    results.ok_or_else(|| {
        let message = format!("`{}` has results of another kind, not {}", path.display(), R::OF);
        CommandError::usage_with(message, R::HINT)
    })
}

/// The one result in a file.
pub(crate) fn read_one<R: SavedResult>(path: &Path) -> Result<R, CommandError> {
    let mut results = read(path)?;
    match (results.pop(), results.is_empty()) {
        (Some(result), true) => Ok(result),
        (Some(_), false) => Err(CommandError::usage_with(
            format!("`{}` has more than one result", path.display()),
            "give a file with one result",
        )),
        (None, _) => Err(CommandError::usage_with(
            format!("`{}` has no result of {}", path.display(), R::OF),
            R::HINT,
        )),
    }
}

/// Everything there is; `None` if that is more bytes than the limit.
fn read_capped(source: impl Read, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    source.take(most).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= limit).then_some(bytes))
}

fn parse(text: &[u8]) -> Result<Vec<AnyResult>, String> {
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

/// `None` for something that had no result.
fn result(value: Value) -> Result<Option<AnyResult>, String> {
    if value.get("error").is_some_and(Value::is_object) {
        return Ok(None);
    }
    let is_audit = value.get("gpt_visibility_score").is_some();
    let result = if is_audit {
        serde_json::from_value(value).map(AnyResult::Audit)
    } else {
        serde_json::from_value(value).map(AnyResult::Scan)
    };
    result.map(Some).map_err(|error| error.to_string())
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
    fn no_more_is_read_than_the_limit() {
        assert_eq!(read_capped(&b"12345"[..], 5).unwrap().as_deref(), Some(&b"12345"[..]));
        assert_eq!(read_capped(&b"123456"[..], 5).unwrap(), None);
        assert_eq!(read_capped(io::repeat(b' '), 5).unwrap(), None);
    }

    #[test]
    fn anything_else_is_refused_with_its_place() {
        for (text, part) in [
            ("not json", "expected ident at line 1 column 2"),
            ("{\"domain\":\"a\"}", "missing field"),
            ("3", "invalid type"),
            ("[[]]", "invalid"),
            ("{\"gpt_visibility_score\":5}", "missing field `id`"),
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
