//! One line as JSON: an object, its nine fields, and the place where it stops being JSON.
//!
//! The grammar is that of RFC 8259, nothing more. A value is looked at only as far as the grammar
//! goes: what a field means is judged later, so that a line that is JSON is never malformed. Nothing
//! is copied, and nesting takes a bit of a stack of our own and none of the thread's.

#![expect(clippy::indexing_slicing, reason = "`at` never passes the length of the line")]

mod compact;
mod name;
mod value;

use memchr::memchr2;

use self::name::{FieldName, field_at};
pub(super) use self::value::Container;
use self::value::Value;
use crate::ingest::byte_class::has_controls;
use crate::ingest::record::Field;
use crate::ingest::text::EscapedText;

/// Where a line stops being a record, and what was expected there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct LineSyntaxError {
    /// Bytes before it.
    pub(super) at: usize,
    /// In words for people.
    pub(super) expected: &'static str,
}

/// The fields of a line.
#[derive(Debug, Default)]
pub(super) struct Line<'a> {
    text: &'a str,
    /// In the order of [`Field::ALL`].
    values: [Value; Field::ALL.len()],
    /// The name of the first field that is not one of the nine.
    unknown: Value,
    /// Bit n is set when the nth field is there.
    pub(super) seen: u16,
    /// Bit n is set when the nth field appears twice.
    repeated: u16,
}

impl<'a> Line<'a> {
    /// The string that a field has, if it has one and appears once.
    pub(super) fn text(&self, field: Field) -> Option<EscapedText<'a>> {
        self.value(field).text(self.text)
    }

    /// The number that a field has, as [`text`](Self::text).
    pub(super) fn number(&self, field: Field) -> Option<&'a str> {
        let value = self.value(field);
        (value.kind() == Value::NUMBER).then(|| value.within(self.text))
    }

    /// The first field that is not one of the nine.
    pub(super) fn unknown(&self) -> Option<EscapedText<'a>> {
        self.unknown.text(self.text)
    }

    fn value(&self, field: Field) -> Value {
        let number = field as usize;
        let is_repeated = self.repeated & (1 << number) != 0;
        if is_repeated { Value::default() } else { self.values[number] }
    }

    /// Reads a line into an empty one, in place: it is too large to be handed around. `open` is
    /// scratch space.
    pub(super) fn read(
        &mut self,
        text: &'a str,
        open: &mut Vec<Container>,
    ) -> Result<(), LineSyntaxError> {
        let has_controls = has_controls(text.as_bytes());
        self.text = text;
        let fault = LineSyntaxError { at: 0, expected: OBJECT };
        let bytes = text.as_bytes();
        let mut scanner = Scanner { text, bytes, at: 0, next: 0, has_controls, open, fault };
        scanner.record(self).map_err(|Stopped| scanner.fault)
    }

    fn add(&mut self, name: FieldName, value: Value) {
        match name {
            FieldName::Known(field) => {
                let number = field as usize;
                self.repeated |= self.seen & (1 << number);
                self.seen |= 1 << number;
                self.values[number] = value;
            }
            FieldName::Unknown(name) => {
                if self.unknown.kind() == 0 {
                    self.unknown = name;
                }
            }
        }
    }
}

/// The scanner has stopped at its fault.
#[derive(Clone, Copy, Debug)]
struct Stopped;

const OBJECT: &str = "a JSON object, which begins with `{`";
const NAME: &str = "the name of a field in double quotes";
const NAME_OR_END: &str = "the name of a field in double quotes, or `}`";
const COLON: &str = "`:` and a value";
const VALUE: &str = "a JSON value";
const DIGIT: &str = "a digit";
const MORE_OR_BRACE: &str = "`,` or `}`";
const MORE_OR_BRACKET: &str = "`,` or `]`";
const END: &str = "the end of the line: a line holds one record";
const QUOTE: &str = "`\"` at the end of a string";
const NO_CONTROL: &str = "a control character to be escaped, such as `\\n` or `\\u0000`";
const ESCAPE: &str = "one of `\"\\/bfnrtu` after the backslash";
const HEX: &str = "four hexadecimal digits after `\\u`";
const SURROGATES: &str = "a high and a low surrogate together";

struct Scanner<'a, 's> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The number of the field that is likely to come next.
    next: usize,
    /// Whether any byte of the line is below 0x20.
    has_controls: bool,
    open: &'s mut Vec<Container>,
    fault: LineSyntaxError,
}

impl Scanner<'_, '_> {
    fn record(&mut self, line: &mut Line<'_>) -> Result<(), Stopped> {
        self.space();
        self.expect(b'{', OBJECT)?;
        self.compact_fields(line);
        self.space();
        let mut expected = if self.next == 0 { NAME_OR_END } else { NAME };
        if self.next == 0 && self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                let name = self.field_name(expected)?;
                let value = self.value()?;
                line.add(name, value);
                self.space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => break self.at += 1,
                    _ => return Err(self.fault(MORE_OR_BRACE)),
                }
                self.space();
                expected = NAME;
            }
        }
        self.space();
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.fault(END)) }
    }

    /// The name of a field of the record and the colon behind it.
    fn field_name(&mut self, expected: &'static str) -> Result<FieldName, Stopped> {
        // Most senders write the fields in one order: the next one is looked for where it would be.
        if let Some((field, length)) = field_at(self.next, &self.bytes[self.at..]) {
            self.next += 1;
            self.at += length;
            self.space();
            return Ok(FieldName::Known(field));
        }
        let name = self.name(expected)?;
        Ok(match name.text(self.text).and_then(EscapedText::field) {
            Some(field) => {
                self.next = field as usize + 1;
                FieldName::Known(field)
            }
            None => FieldName::Unknown(name),
        })
    }

    /// A name and the colon behind it.
    fn name(&mut self, expected: &'static str) -> Result<Value, Stopped> {
        self.expect(b'"', expected)?;
        let name = self.string()?;
        self.space();
        self.expect(b':', COLON)?;
        self.space();
        Ok(name)
    }

    #[inline]
    fn value(&mut self) -> Result<Value, Stopped> {
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string()
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'{' | b'[') => self.nested().map(|()| Value::OTHER),
            _ => self.word().map(|()| Value::OTHER),
        }
    }

    /// The rest of a string whose first quote is behind us.
    #[inline]
    fn string(&mut self) -> Result<Value, Stopped> {
        let start = self.at;
        if !self.has_controls {
            let rest = &self.bytes[start..];
            if let Some(length) = memchr2(b'"', b'\\', rest)
                && rest[length] == b'"'
            {
                self.at += length + 1;
                return Ok(Value::at(start, start + length, Value::TEXT));
            }
        }
        self.odd_string()
    }

    /// A string with escapes, with control characters in its line, or without an end.
    #[cold]
    fn odd_string(&mut self) -> Result<Value, Stopped> {
        let start = self.at;
        let mut kind = Value::TEXT;
        loop {
            let rest = &self.bytes[self.at..];
            let stop = if self.has_controls {
                rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..b' '))
            } else {
                memchr2(b'"', b'\\', rest)
            };
            self.at += stop.unwrap_or(rest.len());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    kind = Value::ESCAPED_TEXT;
                    self.escape()?;
                }
                Some(_) => return Err(self.fault(NO_CONTROL)),
                None => return Err(self.fault(QUOTE)),
            }
        }
        self.at += 1;
        Ok(Value::at(start, self.at - 1, kind))
    }

    fn escape(&mut self) -> Result<(), Stopped> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => match self.code_unit()? {
                0xD800..0xDC00 => {
                    let is_escape = self.bytes[self.at..].starts_with(b"\\u");
                    self.at += 1;
                    if !is_escape || !matches!(self.code_unit()?, 0xDC00..0xE000) {
                        return Err(self.fault_at(start, SURROGATES));
                    }
                }
                0xDC00..0xE000 => return Err(self.fault_at(start, SURROGATES)),
                _ => {}
            },
            _ => return Err(self.fault(ESCAPE)),
        }
        Ok(())
    }

    /// The number behind the `u` at the current position.
    fn code_unit(&mut self) -> Result<u32, Stopped> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else { return Err(self.fault(HEX)) };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Value, Stopped> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Value::at(start, self.at, Value::NUMBER))
    }

    fn digits(&mut self) -> Result<(), Stopped> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.fault(DIGIT)) }
    }

    fn word(&mut self) -> Result<(), Stopped> {
        let rest = &self.bytes[self.at..];
        let word = ["true", "false", "null"].iter().find(|word| rest.starts_with(word.as_bytes()));
        let Some(word) = word else { return Err(self.fault(VALUE)) };
        self.at += word.len();
        Ok(())
    }

    /// An array or an object, to its end, however deep.
    fn nested(&mut self) -> Result<(), Stopped> {
        self.open.clear();
        loop {
            let container = match self.peek() {
                Some(b'{') => Some((Container::Object, b'}')),
                Some(b'[') => Some((Container::Array, b']')),
                _ => None,
            };
            if let Some((container, end)) = container {
                self.at += 1;
                self.space();
                if self.peek() == Some(end) {
                    self.at += 1;
                } else {
                    self.open.push(container);
                    if container == Container::Object {
                        self.name(NAME_OR_END)?;
                    }
                    continue;
                }
            } else {
                self.value()?;
            }
            if self.close()? {
                return Ok(());
            }
        }
    }

    /// Goes on behind a value within a nested one; true if that was the last.
    fn close(&mut self) -> Result<bool, Stopped> {
        while let Some(container) = self.open.last().copied() {
            self.space();
            match (container, self.peek()) {
                (Container::Object, Some(b',')) => {
                    self.at += 1;
                    self.space();
                    self.name(NAME)?;
                    return Ok(false);
                }
                (Container::Array, Some(b',')) => {
                    self.at += 1;
                    self.space();
                    return Ok(false);
                }
                (Container::Object, Some(b'}')) | (Container::Array, Some(b']')) => {
                    self.at += 1;
                    self.open.pop();
                }
                (Container::Object, _) => return Err(self.fault(MORE_OR_BRACE)),
                (Container::Array, _) => return Err(self.fault(MORE_OR_BRACKET)),
            }
        }
        Ok(true)
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), Stopped> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.fault(expected))
        }
    }

    fn fault(&mut self, expected: &'static str) -> Stopped {
        self.fault_at(self.at, expected)
    }

    #[cold]
    fn fault_at(&mut self, at: usize, expected: &'static str) -> Stopped {
        self.fault = LineSyntaxError { at, expected };
        Stopped
    }
}
