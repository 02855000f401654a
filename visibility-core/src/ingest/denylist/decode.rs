//! Percent-encoding, one round at a time.

use memchr::memchr2;

/// Decodes `%XX` and `+` once. Bytes that are not UTF-8 become replacement characters; a `%` without
/// two digits stays. `bytes` is scratch space.
pub(super) fn decode(text: &str, bytes: &mut Vec<u8>, into: &mut String) {
    bytes.clear();
    into.clear();
    let mut rest = text.as_bytes();
    while let Some((plain, [mark, behind @ ..])) =
        memchr2(b'%', b'+', rest).and_then(|at| rest.split_at_checked(at))
    {
        bytes.extend_from_slice(plain);
        rest = behind;
        match (mark, behind) {
            (b'+', _) => bytes.push(b' '),
            (_, [high, low, after @ ..]) if let Some(byte) = byte(*high, *low) => {
                bytes.push(byte);
                rest = after;
            }
            _ => bytes.push(b'%'),
        }
    }
    bytes.extend_from_slice(rest);
    for chunk in bytes.utf8_chunks() {
        into.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            into.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

fn byte(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_round_is_decoded() {
        for (text, expected) in [
            ("a%20b+c", "a b c"),
            ("%2574", "%74"),
            ("%", "%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
            ("%C3%BC", "ü"),
            ("%FFx", "\u{fffd}x"),
            ("%%41", "%A"),
        ] {
            let mut decoded = "old".to_owned();
            decode(text, &mut vec![1], &mut decoded);
            assert_eq!(decoded, expected, "{text}");
        }
    }
}
