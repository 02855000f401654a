//! What container runtimes put around a line, and the lines that they cut into parts.

use std::borrow::Cow;

use memchr::memchr;
use serde::Deserialize;

/// Layers around a line, at most.
const MAX_LAYERS: usize = 2;
/// Bytes of a line that is put together from parts.
const MAX_JOINED_BYTES: usize = 1024 * 1024;
/// Bytes of the shortest time of a CRI line: `2026-11-20T23:20:36Z`.
const CRI_TIME_BYTES: usize = 20;

/// A line as its program has written it.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Unwrapped<'a> {
    Line(Cow<'a, [u8]>),
    /// A part of a line, whose rest has not come.
    Part,
    /// The parts are more than a line may have.
    TooLong,
}

/// One layer off a line.
struct Layer<'a> {
    /// 0 is standard output, 1 standard error: their parts come in turns.
    stream: usize,
    text: Cow<'a, [u8]>,
    is_part: bool,
}

/// Takes the layers off lines, and puts parts together.
#[derive(Debug, Default)]
pub(super) struct Unwrapper {
    /// The parts of a line, by layer and stream.
    parts: [[Vec<u8>; 2]; MAX_LAYERS],
    /// Whether the line has become too long, and the rest of its parts is skipped.
    is_skipping: [[bool; 2]; MAX_LAYERS],
}

impl Unwrapper {
    /// The line inside a line. One that has no layer is itself.
    pub(super) fn unwrap<'a>(&mut self, line: &'a [u8]) -> Unwrapped<'a> {
        let mut line = Cow::Borrowed(line);
        for depth in 0..MAX_LAYERS {
            let Some(layer) = take_layer(&line) else { break };
            let Layer { stream, text, is_part } = layer;
            let text = Cow::Owned(text.into_owned());
            match self.join(depth, stream, text, is_part) {
                Unwrapped::Line(whole) => line = whole,
                other => return other,
            }
        }
        Unwrapped::Line(line)
    }

    /// Whether a line is not whole yet, and forgets it: the file has ended.
    pub(super) fn end(&mut self) -> bool {
        let is_open = |parts: &[Vec<u8>; 2]| parts.iter().any(|part| !part.is_empty());
        let has_parts = self.parts.iter().any(is_open);
        *self = Self::default();
        has_parts
    }

    fn join<'a>(
        &mut self,
        depth: usize,
        stream: usize,
        text: Cow<'a, [u8]>,
        is_part: bool,
    ) -> Unwrapped<'a> {
        let parts = self.parts.get_mut(depth).and_then(|streams| streams.get_mut(stream));
        let skips = self.is_skipping.get_mut(depth).and_then(|streams| streams.get_mut(stream));
        let (Some(parts), Some(is_skipping)) = (parts, skips) else { return Unwrapped::TooLong };
        if !is_part && parts.is_empty() && !*is_skipping {
            return Unwrapped::Line(text);
        }
        if *is_skipping || parts.len() + text.len() > MAX_JOINED_BYTES {
            parts.clear();
            *is_skipping = is_part;
            return if is_part { Unwrapped::Part } else { Unwrapped::TooLong };
        }
        parts.extend_from_slice(&text);
        if is_part { Unwrapped::Part } else { Unwrapped::Line(Cow::Owned(std::mem::take(parts))) }
    }
}

fn take_layer(line: &[u8]) -> Option<Layer<'_>> {
    match line.first()? {
        b'0'..=b'9' => cri(line),
        b'{' => docker(line),
        _ => None,
    }
}

/// A line of the container runtime interface: `TIME stdout F LINE`, with `P` for a part.
fn cri(line: &[u8]) -> Option<Layer<'_>> {
    let at = memchr(b' ', line).filter(|at| *at >= CRI_TIME_BYTES)?;
    let (time, rest) = line.split_at_checked(at)?;
    if time.get(10) != Some(&b'T') {
        return None;
    }
    let (stream, rest) = match rest.strip_prefix(b" stdout ") {
        Some(rest) => (0, rest),
        None => (1, rest.strip_prefix(b" stderr ")?),
    };
    // Tags are separated by colons; the first says whether the line is whole.
    let at = memchr(b' ', rest).unwrap_or(rest.len());
    let (tags, text) = rest.split_at_checked(at)?;
    let is_part = match tags.first()? {
        b'P' => true,
        b'F' => false,
        _ => return None,
    };
    if !matches!(tags.get(1), None | Some(b':')) {
        return None;
    }
    Some(Layer { stream, text: Cow::Borrowed(text.get(1..).unwrap_or_default()), is_part })
}

/// A line of Docker's `json-file`.
#[derive(Deserialize)]
struct DockerLine<'a> {
    #[serde(borrow)]
    log: Cow<'a, str>,
    stream: Cow<'a, str>,
    #[serde(rename = "time")]
    _time: Cow<'a, str>,
}

fn docker(line: &[u8]) -> Option<Layer<'_>> {
    if !line.get(1..)?.trim_ascii_start().starts_with(b"\"log\"") {
        return None;
    }
    let line: DockerLine<'_> = serde_json::from_slice(line).ok()?;
    let stream = usize::from(line.stream == "stderr");
    let is_part = !line.log.ends_with('\n');
    let bytes = match line.log {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    let end = bytes.trim_ascii_end().len();
    let text = match bytes {
        _ if is_part => bytes,
        Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..end).unwrap_or_default()),
        Cow::Owned(mut bytes) => {
            bytes.truncate(end);
            Cow::Owned(bytes)
        }
    };
    Some(Layer { stream, text, is_part })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unwrap(lines: &[&str]) -> Vec<String> {
        let mut unwrapper = Unwrapper::default();
        let mut found: Vec<String> = lines
            .iter()
            .map(|line| match unwrapper.unwrap(line.as_bytes()) {
                Unwrapped::Line(line) => String::from_utf8_lossy(&line).into_owned(),
                Unwrapped::Part => "(part)".to_owned(),
                Unwrapped::TooLong => "(too long)".to_owned(),
            })
            .collect();
        if unwrapper.end() {
            found.push("(open)".to_owned());
        }
        found
    }

    #[test]
    fn layers_are_taken_off() {
        let inner = r#"127.0.0.1 - - [20/Nov/2026:23:20:36 +0000] "GET / HTTP/1.1" 200 5 "-" "a""#;
        let cri = format!("2026-11-20T23:20:36.123456789Z stdout F {inner}");
        let json = |text: &str| serde_json::to_string(text).unwrap();
        let docker = |text: &str| {
            format!(r#"{{"log":{},"stream":"stdout","time":"2026-11-20T23:20:36Z"}}"#, json(text))
        };
        let both = docker(&format!("{cri}\n"));
        for line in
            [inner, &cri, &docker(&format!("{inner}\n")), &docker(&format!("{inner}\r\n")), &both]
        {
            assert_eq!(unwrap(&[line]), [inner], "{line}");
        }
    }

    #[test]
    fn parts_are_put_together_by_stream() {
        let lines = [
            "2026-11-20T23:20:36.1Z stdout P 127.0.0.1 ",
            "2026-11-20T23:20:36.1Z stderr F trouble",
            "2026-11-20T23:20:36.1Z stdout P - -",
            "2026-11-20T23:20:36.1Z stdout F  end",
            "2026-11-20T23:20:36.1Z stdout P rest",
        ];
        let expected = ["(part)", "trouble", "(part)", "127.0.0.1 - - end", "(part)", "(open)"];
        assert_eq!(unwrap(&lines), expected);
        let lines = [
            r#"{"log":"ab","stream":"stdout","time":"2026-11-20T23:20:36Z"}"#,
            r#"{"log":"c\n","stream":"stdout","time":"2026-11-20T23:20:36Z"}"#,
        ];
        assert_eq!(unwrap(&lines), ["(part)", "abc"]);
    }

    #[test]
    fn parts_do_not_grow_without_end() {
        let part = format!("2026-11-20T23:20:36.1Z stdout P {}", "x".repeat(600_000));
        let lines = [
            &part,
            &part,
            &part,
            "2026-11-20T23:20:36.1Z stdout F x",
            "2026-11-20T23:20:36.1Z stdout F y",
        ];
        assert_eq!(unwrap(&lines), ["(part)", "(part)", "(part)", "(too long)", "y"]);
    }

    #[test]
    fn other_lines_are_themselves() {
        for line in [
            "",
            "{}",
            r#"{"log":1}"#,
            r#"{"log":"a"}"#,
            "2026-11-20T23:20:36.1Z stdout X y",
            "2026-11-20T23:20:36.1Z stdout F",
            "203.0.113.9 stdout F x",
        ] {
            let found = unwrap(&[line]);
            let expected = if line.ends_with(" F") { "" } else { line };
            assert_eq!(found, [expected], "{line}");
        }
    }
}
