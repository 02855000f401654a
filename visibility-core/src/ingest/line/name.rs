//! The names of the fields, where they are likely to be.

use super::value::Value;
use crate::ingest::record::Field;

/// The name of a field of the record.
#[derive(Clone, Copy, Debug)]
pub(super) enum FieldName {
    Known(Field),
    Unknown(Value),
}

/// The field with a number, if its name in quotes and a colon are at the start of some bytes, and
/// their length. Lengths that the compiler knows make a comparison a few instructions.
pub(super) fn field_at(number: usize, bytes: &[u8]) -> Option<(Field, usize)> {
    fn is<const N: usize>(bytes: &[u8], name: &[u8; N], field: Field) -> Option<(Field, usize)> {
        (bytes.first_chunk::<N>() == Some(name)).then_some((field, N))
    }
    match Field::ALL.get(number)? {
        Field::Timestamp => is(bytes, b"\"timestamp\":", Field::Timestamp),
        Field::UserAgent => is(bytes, b"\"user_agent\":", Field::UserAgent),
        Field::RequestMethod => is(bytes, b"\"request_method\":", Field::RequestMethod),
        Field::RequestPath => is(bytes, b"\"request_path\":", Field::RequestPath),
        Field::StatusCode => is(bytes, b"\"status_code\":", Field::StatusCode),
        Field::ResponseBytes => is(bytes, b"\"response_bytes\":", Field::ResponseBytes),
        Field::Referrer => is(bytes, b"\"referrer\":", Field::Referrer),
        Field::Host => is(bytes, b"\"host\":", Field::Host),
        Field::ClientIpHash => is(bytes, b"\"client_ip_hash\":", Field::ClientIpHash),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_found_where_it_would_be() {
        for (number, field) in Field::ALL.into_iter().enumerate() {
            let text = format!("\"{}\":1", field.name());
            assert_eq!(field_at(number, text.as_bytes()), Some((field, text.len() - 1)));
            assert_eq!(field_at(number + 1, text.as_bytes()), None);
        }
    }
}
