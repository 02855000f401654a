//! Vectors of `POST /v1/logs`: what a sender sends, and what it must be answered.

#![expect(clippy::panic, reason = "a vector that cannot be built should stop the test")]

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Deserialize;

const VECTORS: &str = include_str!("../../visibility-core/testdata/ingest_vectors.json");
/// Bytes of one member of a bomb.
const BOMB_MEMBER: usize = 16 << 20;
/// Bytes of one of its lines: a build without optimizations takes minutes for as many empty ones.
const BOMB_LINE: usize = 4096;

/// One vector.
#[derive(Clone, Debug, Deserialize)]
pub struct Vector {
    /// What it is about.
    pub name: String,
    /// What it belongs to.
    pub group: String,
    /// Header fields, in their order; with placeholders.
    pub headers: Vec<(String, String)>,
    /// Lines of the body, with placeholders.
    #[serde(default)]
    pub lines: Vec<String>,
    /// A body that is not text, in place of lines.
    pub body_b64: Option<String>,
    /// What is done to the body, in this order.
    #[serde(default)]
    pub transform: Vec<String>,
    /// Method, if it is not `POST`.
    pub method: Option<String>,
    /// Path, if it is not that of the endpoint.
    pub path: Option<String>,
    /// The bytes of the whole request, with placeholders, in place of all of that.
    pub wire: Option<String>,
    /// Whether the sender half-closes after them.
    #[serde(default)]
    pub close_write: bool,
    /// The line that a refusal must name.
    pub first_failure_line: Option<u64>,
    /// The answer.
    pub expect: Expected,
}

/// What a vector must be answered.
#[derive(Clone, Debug, Deserialize)]
pub struct Expected {
    /// Status.
    pub status: u16,
    /// Statuses that other implementations may choose; 0 is a connection that just ends.
    #[serde(default)]
    pub also_acceptable: Vec<u16>,
    /// Records in the batch.
    pub received: Option<u64>,
    /// Records that are kept.
    pub accepted: Option<u64>,
    /// Records that are not.
    pub rejections: Option<Vec<ExpectedRejection>>,
}

/// A record that must not be kept.
#[derive(Clone, Debug, Deserialize)]
pub struct ExpectedRejection {
    /// The line number.
    pub line: u64,
    /// The reason; without one, any.
    pub reason: Option<String>,
    /// The field; without one, any or none.
    pub field: Option<String>,
}

/// The values of the placeholders.
#[derive(Clone, Debug)]
pub struct Words {
    /// The time that `NOW` is.
    pub now: DateTime<Utc>,
    /// Placeholders, without their braces, and their values.
    pub words: Vec<(&'static str, String)>,
}

/// All vectors.
pub fn vectors() -> Vec<Vector> {
    #[derive(Deserialize)]
    struct File {
        vectors: Vec<Vector>,
    }
    serde_json::from_str::<File>(VECTORS).expect("the vectors are readable").vectors
}

impl Words {
    /// A text without placeholders.
    pub fn expand(&self, text: &str) -> String {
        let mut rest = text;
        let mut expanded = String::new();
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').expect("a placeholder ends");
            expanded.push_str(before);
            expanded.push_str(&self.word(name));
            rest = after;
        }
        expanded + rest
    }

    fn word(&self, name: &str) -> String {
        if let Some(repeated) = name.strip_prefix("REP:") {
            let (text, count) = repeated.split_once(':').expect("a text and a count");
            return text.repeat(count.parse().expect("a number"));
        }
        if let Some(time) = name.strip_prefix("NOW") {
            let (offset, spelling) = time.split_once('.').unwrap_or((time, ""));
            let seconds = offset.parse().expect("an offset in seconds");
            let time = self.now + TimeDelta::seconds(seconds);
            return match spelling {
                "" => time.to_rfc3339_opts(SecondsFormat::Secs, true),
                "ms" => time.to_rfc3339_opts(SecondsFormat::Millis, true),
                "lower" => time.to_rfc3339_opts(SecondsFormat::Secs, true).to_lowercase(),
                other => panic!("no such spelling: {other}"),
            };
        }
        let word = self.words.iter().find(|(known, _)| *known == name);
        word.unwrap_or_else(|| panic!("no such placeholder: {name}")).1.clone()
    }
}

impl Vector {
    /// The bytes of the body.
    pub fn body(&self, words: &Words) -> Vec<u8> {
        let mut body = match &self.body_b64 {
            Some(coded) => {
                let bytes = STANDARD.decode(coded).expect("base64");
                match String::from_utf8(bytes) {
                    Ok(text) => words.expand(&text).into_bytes(),
                    Err(error) => error.into_bytes(),
                }
            }
            None => {
                self.lines.iter().map(|line| words.expand(line) + "\n").collect::<String>().into()
            }
        };
        for step in &self.transform {
            body = transformed(&body, step);
        }
        body
    }
}

fn transformed(body: &[u8], step: &str) -> Vec<u8> {
    let (name, argument) = step.split_once(':').unwrap_or((step, ""));
    let number = || argument.parse::<usize>().expect("a number");
    match name {
        "gzip" => gzip(body, 6),
        "gzip-level" => gzip(body, argument.parse().expect("a level")),
        "gzip-members" => {
            let size = body.len().div_ceil(number());
            body.chunks(size).flat_map(|part| gzip(part, 6)).collect()
        }
        "gzip-keep" => {
            let mut coded = gzip(body, 6);
            coded.truncate(number());
            coded
        }
        "gzip-badmethod" => {
            let mut coded = gzip(body, 6);
            if let Some(method) = coded.get_mut(2) {
                *method = 7;
            }
            coded
        }
        "append" => {
            let tail: &[u8] = if argument == "zeros" { &[0; 64] } else { b"garbage" };
            [body, tail].concat()
        }
        // Members that are all the same are as large together as one, and made much faster.
        "bomb" => {
            let bytes: usize =
                argument.strip_prefix("newlines:").expect("newlines").parse().expect("a number");
            let blank = " ".repeat(BOMB_LINE - 1) + "\n";
            let member = gzip(blank.repeat(BOMB_MEMBER / BOMB_LINE).as_bytes(), 9);
            member.repeat(bytes.div_ceil(BOMB_MEMBER))
        }
        "random" => noise(number()),
        other => panic!("no such transform: {other}"),
    }
}

/// Gzips bytes.
pub fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

/// Bytes that no coding makes shorter, always the same.
pub fn noise(bytes: usize) -> Vec<u8> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut content = Vec::with_capacity(bytes + 8);
    while content.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        content.extend_from_slice(&state.to_le_bytes());
    }
    content.truncate(bytes);
    content
}
