//! Fields as most senders write them: in the order of the contract, and without white space.

use memchr::memchr2;

use super::value::Value;
use super::{Line, Scanner};
use crate::ingest::record::Field;

impl Scanner<'_, '_> {
    /// Reads fields and the commas behind them, and stops before the first that is written in
    /// another way: what is wrong with it, if anything, is not looked at here. The last field has no
    /// comma.
    pub(super) fn compact_fields(&mut self, line: &mut Line<'_>) {
        let _is_compact = !self.has_controls
            && self.compact_text(b"\"timestamp\":\"", Field::Timestamp, line)
            && self.compact_text(b"\"user_agent\":\"", Field::UserAgent, line)
            && self.compact_text(b"\"request_method\":\"", Field::RequestMethod, line)
            && self.compact_text(b"\"request_path\":\"", Field::RequestPath, line)
            && self.compact_number(b"\"status_code\":", Field::StatusCode, line)
            && self.compact_number(b"\"response_bytes\":", Field::ResponseBytes, line)
            && self.compact_text(b"\"referrer\":\"", Field::Referrer, line)
            && self.compact_text(b"\"host\":\"", Field::Host, line);
    }

    /// A string without escapes. Lengths that the compiler knows make a comparison a few
    /// instructions.
    #[inline]
    fn compact_text<const N: usize>(
        &mut self,
        name: &[u8; N],
        field: Field,
        line: &mut Line<'_>,
    ) -> bool {
        let Some(rest) = self.behind(name) else { return false };
        let length = match (field, rest) {
            // These are short: calling a search would take longer.
            (Field::Referrer, [b'"', ..]) => 0,
            (Field::RequestMethod, [b'A'..=b'Z', b'A'..=b'Z', b'A'..=b'Z', b'"', ..]) => 3,
            _ => memchr2(b'"', b'\\', rest).unwrap_or(rest.len()),
        };
        let is_whole = matches!(rest.get(length..), Some([b'"', b',', ..]));
        if is_whole {
            let start = self.at + N;
            self.add_compact(field, Value::at(start, start + length, Value::TEXT), line);
            self.at = start + length + 2;
        }
        is_whole
    }

    /// A number without sign, fraction and exponent.
    #[inline]
    fn compact_number<const N: usize>(
        &mut self,
        name: &[u8; N],
        field: Field,
        line: &mut Line<'_>,
    ) -> bool {
        let Some(rest) = self.behind(name) else { return false };
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let is_number = length == 1 || (length > 1 && !rest.starts_with(b"0"));
        let is_whole = is_number && matches!(rest.get(length..), Some([b',', ..]));
        if is_whole {
            let start = self.at + N;
            self.add_compact(field, Value::at(start, start + length, Value::NUMBER), line);
            self.at = start + length + 1;
        }
        is_whole
    }

    /// The text after a name at the current position.
    #[inline]
    fn behind<const N: usize>(&self, name: &[u8; N]) -> Option<&[u8]> {
        let (start, rest) = self.bytes.get(self.at..)?.split_first_chunk()?;
        (start == name).then_some(rest)
    }

    /// Adds a field that the line does not have yet.
    #[inline]
    fn add_compact(&mut self, field: Field, value: Value, line: &mut Line<'_>) {
        let number = field as usize;
        self.next = number + 1;
        line.seen |= 1 << number;
        line.values[number] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"timestamp":"t","user_agent":"u","request_method":"GET","request_path":"/","status_code":200,"response_bytes":0,"referrer":"","host":"h","client_ip_hash":"c"}"#;

    fn read(text: &str) -> String {
        let mut line = Line::default();
        let result = line.read(text, &mut Vec::new());
        let values =
            Field::ALL.map(|field| (line.text(field).map(|text| text.raw), line.number(field)));
        let unknown = line.unknown().map(|text| text.raw);
        match result {
            Ok(()) => format!("{values:?} {unknown:?} {} {}", line.seen, line.repeated),
            Err(fault) => format!("{} {}", text.len() - fault.at, fault.expected),
        }
    }

    /// A space behind the brace makes the whole line one of the other way.
    fn assert_same(line: &str) {
        assert_eq!(read(line), read(&line.replacen('{', "{ ", 1)), "{line}");
    }

    #[test]
    fn a_compact_line_is_read_like_any_other() {
        assert_same(LINE);
        for at in 1..LINE.len() {
            let (start, rest) = LINE.split_at(at);
            let without = rest.split_at(1).1;
            assert_same(start);
            assert_same(&format!("{start}{without}"));
            for text in [" ", "\"", "\\", ",", "}", "0", "-", ".", "\\n", "\t", "ü"] {
                assert_same(&format!("{start}{text}{rest}"));
                assert_same(&format!("{start}{text}{without}"));
            }
        }
    }

    #[test]
    fn a_field_behind_compact_ones_may_repeat_them() {
        let line = LINE.replacen("client_ip_hash", "timestamp", 1);
        assert_same(&line);
        let mut read = Line::default();
        assert!(read.read(&line, &mut Vec::new()).is_ok());
        assert!(read.text(Field::Timestamp).is_none() && read.text(Field::Host).is_some());
    }
}
