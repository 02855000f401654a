//! One line as JSON: an object, its nine fields, and the place where it stops being JSON.
//!
//! The grammar is that of RFC 8259, nothing more. A value is looked at only as far as the grammar
//! goes: what a field means is judged later, so that a line that is JSON is never malformed. Nothing
//! is copied, and nesting takes a bit of a stack of our own and none of the thread's.

#![expect(clippy::indexing_slicing, reason = "`at` never passes the length of the line")]

use memchr::memchr2;

use crate::ingest::octets::has_controls;
use crate::ingest::record::Field;
use crate::ingest::text::Text;

/// Where a line stops being a record, and what would have to stand there.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Fault {
    /// Octets before it.
    pub(super) at: usize,
    /// In words for people.
    pub(super) expected: &'static str,
}

/// The value of a field, unread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    /// A string.
    Text(Text<'a>),
    /// A number, as written.
    Number(&'a str),
    /// Anything else.
    Other,
}

/// The fields of a line.
#[derive(Debug, Default)]
pub(super) struct Line<'a> {
    /// In the order of [`Field::ALL`].
    pub(super) values: [Option<Value<'a>>; Field::ALL.len()],
    /// The first field that is none of the nine.
    pub(super) unknown: Option<Text<'a>>,
    /// Bit n is set when the nth field stands there.
    pub(super) seen: u16,
    /// Bit n is set when the nth field stands there twice.
    pub(super) repeated: u16,
}

impl<'a> Line<'a> {
    /// Reads a line into an empty one, in place: it is too large to be handed around. `open` is
    /// scratch space.
    pub(super) fn read(&mut self, text: &'a str, open: &mut Vec<Container>) -> Result<(), Fault> {
        let has_controls = has_controls(text.as_bytes());
        let mut scanner =
            Scanner { text, bytes: text.as_bytes(), at: 0, next: 0, has_controls, open };
        scanner.record(self)
    }

    fn add(&mut self, name: Name<'a>, value: Value<'a>) {
        match name {
            Name::Known(field) => {
                let number = field as usize;
                self.repeated |= self.seen & (1 << number);
                self.seen |= 1 << number;
                self.values[number] = Some(value);
            }
            Name::Unknown(name) => {
                self.unknown.get_or_insert(name);
            }
        }
    }
}

/// The name of a field of the record.
#[derive(Clone, Copy, Debug)]
enum Name<'a> {
    Known(Field),
    Unknown(Text<'a>),
}

/// What a nested value stands in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Container {
    Array,
    Object,
}

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
const ESCAPE: &str = "one of `\"\\/bfnrtu` behind the backslash";
const HEX: &str = "four hexadecimal digits behind `\\u`";
const SURROGATES: &str = "a high and a low surrogate together";

struct Scanner<'a, 's> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The number of the field that is likely to come next.
    next: usize,
    /// Whether any octet of the line is below 0x20.
    has_controls: bool,
    open: &'s mut Vec<Container>,
}

impl<'a> Scanner<'a, '_> {
    fn record(&mut self, line: &mut Line<'a>) -> Result<(), Fault> {
        self.space();
        self.expect(b'{', OBJECT)?;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            let mut expected = NAME_OR_END;
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
    fn field_name(&mut self, expected: &'static str) -> Result<Name<'a>, Fault> {
        // Most senders write the fields in one order: the next one is looked for where it would be.
        if let Some(field) = Field::ALL.get(self.next) {
            let name = field.name().as_bytes();
            let rest = &self.bytes[self.at..];
            if let [b'"', rest @ ..] = rest
                && let Some([b'"', b':', ..]) = rest.strip_prefix(name)
            {
                self.next += 1;
                self.at += name.len() + 3;
                self.space();
                return Ok(Name::Known(*field));
            }
        }
        let name = self.name(expected)?;
        Ok(match name.field() {
            Some(field) => {
                self.next = field as usize + 1;
                Name::Known(field)
            }
            None => Name::Unknown(name),
        })
    }

    /// A name and the colon behind it.
    fn name(&mut self, expected: &'static str) -> Result<Text<'a>, Fault> {
        self.expect(b'"', expected)?;
        let name = self.string()?;
        self.space();
        self.expect(b':', COLON)?;
        self.space();
        Ok(name)
    }

    #[inline]
    fn value(&mut self) -> Result<Value<'a>, Fault> {
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                self.string().map(Value::Text)
            }
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b'{' | b'[') => self.nested().map(|()| Value::Other),
            _ => self.word().map(|()| Value::Other),
        }
    }

    /// The rest of a string whose first quote is behind us.
    #[inline]
    fn string(&mut self) -> Result<Text<'a>, Fault> {
        let start = self.at;
        if !self.has_controls {
            let rest = &self.bytes[start..];
            if let Some(length) = memchr2(b'"', b'\\', rest)
                && rest[length] == b'"'
            {
                self.at += length + 1;
                let raw = self.text.get(start..start + length).unwrap_or_default();
                return Ok(Text { raw, is_escaped: false });
            }
        }
        self.odd_string()
    }

    /// A string with escapes, with control characters in its line, or without an end.
    #[cold]
    fn odd_string(&mut self) -> Result<Text<'a>, Fault> {
        let start = self.at;
        let mut is_escaped = false;
        loop {
            let rest = &self.bytes[self.at..];
            let stop = if self.has_controls {
                rest.iter().position(|octet| matches!(octet, b'"' | b'\\' | ..b' '))
            } else {
                memchr2(b'"', b'\\', rest)
            };
            self.at += stop.unwrap_or(rest.len());
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    is_escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err(self.fault(NO_CONTROL)),
                None => return Err(self.fault(QUOTE)),
            }
        }
        let raw = self.text.get(start..self.at).unwrap_or_default();
        self.at += 1;
        Ok(Text { raw, is_escaped })
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                let lone = Fault { at: start, expected: SURROGATES };
                match self.code_unit()? {
                    0xD800..0xDC00 => {
                        let is_escape = self.bytes[self.at..].starts_with(b"\\u");
                        self.at += 1;
                        if !is_escape || !matches!(self.code_unit()?, 0xDC00..0xE000) {
                            return Err(lone);
                        }
                    }
                    0xDC00..0xE000 => return Err(lone),
                    _ => {}
                }
            }
            _ => return Err(self.fault(ESCAPE)),
        }
        Ok(())
    }

    /// The number behind the `u` that we stand at.
    fn code_unit(&mut self) -> Result<u32, Fault> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|octet| char::from(octet).to_digit(16));
            let Some(digit) = digit else { return Err(self.fault(HEX)) };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<&'a str, Fault> {
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
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.fault(DIGIT)) }
    }

    fn word(&mut self) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        let word = ["true", "false", "null"].iter().find(|word| rest.starts_with(word.as_bytes()));
        let Some(word) = word else { return Err(self.fault(VALUE)) };
        self.at += word.len();
        Ok(())
    }

    /// An array or an object, to its end, however deep.
    fn nested(&mut self) -> Result<(), Fault> {
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
    fn close(&mut self) -> Result<bool, Fault> {
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

    fn expect(&mut self, octet: u8, expected: &'static str) -> Result<(), Fault> {
        if self.peek() == Some(octet) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.fault(expected))
        }
    }

    fn fault(&self, expected: &'static str) -> Fault {
        Fault { at: self.at, expected }
    }
}
