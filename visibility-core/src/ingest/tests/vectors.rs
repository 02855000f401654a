use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{SecondsFormat, TimeDelta};
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct File {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    group: String,
    lines: Option<Vec<String>>,
    body_b64: Option<String>,
    #[serde(default)]
    transform: Vec<String>,
    expect: Expected,
    first_failure_line: Option<u64>,
}

#[derive(Deserialize)]
struct Expected {
    status: u16,
    #[serde(default)]
    also_acceptable: Vec<u16>,
    received: Option<u64>,
    accepted: Option<u64>,
    rejections: Option<Vec<ExpectedRejection>>,
}

#[derive(Deserialize)]
struct ExpectedRejection {
    line: u64,
    reason: Option<String>,
    field: Option<String>,
}

/// Fills the placeholders of a line in.
fn filled(line: &str) -> String {
    let mut filled = String::new();
    let mut rest = line;
    while let Some((before, placeholder)) = rest.split_once("${") {
        let (name, after) = placeholder.split_once('}').unwrap();
        filled.push_str(before);
        if let Some(text) = name.strip_prefix("REP:") {
            let (text, count) = text.rsplit_once(':').unwrap();
            filled.push_str(&text.repeat(count.parse().unwrap()));
        } else {
            filled.push_str(&time(name.strip_prefix("NOW").unwrap()));
        }
        rest = after;
    }
    filled + rest
}

/// A time such as `-3600.ms`, from now.
fn time(offset: &str) -> String {
    let (seconds, form) = offset.split_once('.').unwrap_or((offset, ""));
    let seconds = if seconds.is_empty() { 0 } else { seconds.parse().unwrap() };
    let time = rules().now + TimeDelta::seconds(seconds);
    let plain = time.to_rfc3339_opts(SecondsFormat::Secs, true);
    match form {
        "" => plain,
        "ms" => time.to_rfc3339_opts(SecondsFormat::Millis, true),
        "ns" => time.to_rfc3339_opts(SecondsFormat::Nanos, true),
        "lower" => plain.to_lowercase(),
        "+00:00" => plain.replace('Z', "+00:00"),
        other => panic!("{other}"),
    }
}

fn body(vector: &Vector) -> Vec<u8> {
    if let Some(lines) = &vector.lines {
        lines.iter().flat_map(|line| (filled(line) + "\n").into_bytes()).collect()
    } else {
        let body = STANDARD.decode(vector.body_b64.as_ref().unwrap()).unwrap();
        // Placeholders are in text; a body of other bytes has none that matters.
        String::from_utf8(body)
            .map_or_else(std::string::FromUtf8Error::into_bytes, |text| filled(&text).into_bytes())
    }
}

fn check(vector: &Vector) {
    let name = &vector.name;
    let mut kept = CollectedRecords::default();
    let result = read_batch(&body(vector)[..], ContentCoding::Identity, &rules(), &mut kept);
    match (vector.expect.status, result) {
        (400, Err(BatchError::Malformed { line, .. })) => {
            assert!(vector.first_failure_line.is_none_or(|expected| expected == line), "{name}");
        }
        (202 | 207, Ok(counts)) => {
            assert_eq!(vector.expect.received, Some(counts.received), "{name}");
            let status = if counts.rejected == 0 { 202 } else { 207 };
            if status != vector.expect.status {
                assert!(vector.expect.also_acceptable.contains(&status), "{name}");
                return;
            }
            assert_eq!(vector.expect.accepted, Some(counts.accepted), "{name}");
            let expected = vector.expect.rejections.as_ref().unwrap();
            assert_eq!(expected.len(), kept.rejected.len(), "{name}");
            for (expected, (line, reason, field)) in expected.iter().zip(kept.rejected) {
                let reason = serde_json::to_value(reason).unwrap();
                assert_eq!(expected.line, line, "{name}");
                assert!(
                    expected.reason.as_ref().is_none_or(|expected| reason == *expected),
                    "{name}"
                );
                assert!(expected.field.is_none() || expected.field == field, "{name}");
            }
        }
        (status, other) => panic!("{name}: {status}, but {other:?}"),
    }
}

#[test]
fn every_vector_about_records_holds() {
    let file: File =
        serde_json::from_str(include_str!("../../../testdata/ingest_vectors.json")).unwrap();
    let is_ours = |vector: &&Vector| {
        matches!(vector.group.as_str(), "record" | "malformed") && vector.transform.is_empty()
    };
    let ours: Vec<&Vector> = file.vectors.iter().filter(is_ours).collect();
    assert_eq!(ours.len(), 46);
    for vector in ours {
        check(vector);
    }
}
