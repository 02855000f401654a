//! The response to a batch.
//!
//! It is written in pieces, as 500,000 rejections are not kept in memory: those that were written
//! somewhere with [`write_rejection`] as they came go between [`write_head`] and [`write_tail`].

use std::io::{self, Write};

use crate::ingest::Rejection;
use crate::store::Counts;

/// Writes the answer up to its rejections.
///
/// # Errors
///
/// When `into` cannot be written.
pub fn write_head(
    into: &mut (impl Write + ?Sized),
    batch_id: Option<&str>,
    counts: Counts,
) -> io::Result<()> {
    into.write_all(b"{")?;
    if let Some(id) = batch_id {
        into.write_all(b"\"batch_id\":")?;
        serde_json::to_writer(&mut *into, id)?;
        into.write_all(b",")?;
    }
    let Counts { received, accepted, rejected } = counts;
    write!(into, "\"received\":{received},\"accepted\":{accepted},\"rejected\":{rejected}")?;
    if rejected > 0 { into.write_all(b",\"rejections\":[") } else { Ok(()) }
}

/// Writes a rejection; between two of them is a comma, which is the caller's.
///
/// # Errors
///
/// When `into` cannot be written.
pub fn write_rejection(
    into: &mut (impl Write + ?Sized),
    rejection: &Rejection<'_>,
) -> io::Result<()> {
    serde_json::to_writer(into, rejection).map_err(io::Error::from)
}

/// Writes what follows the rejections.
///
/// # Errors
///
/// When `into` cannot be written.
pub fn write_tail(into: &mut (impl Write + ?Sized), counts: Counts) -> io::Result<()> {
    into.write_all(if counts.rejected > 0 { b"]}" } else { b"}" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Reason;

    fn answer(batch_id: Option<&str>, rejections: &[Rejection<'_>]) -> String {
        let rejected = rejections.len() as u64;
        let counts = Counts { received: rejected + 1, accepted: 1, rejected };
        let mut json = Vec::new();
        write_head(&mut json, batch_id, counts).unwrap();
        for (number, rejection) in rejections.iter().enumerate() {
            if number > 0 {
                json.push(b',');
            }
            write_rejection(&mut json, rejection).unwrap();
        }
        write_tail(&mut json, counts).unwrap();
        String::from_utf8(json).unwrap()
    }

    #[test]
    fn without_rejections_there_is_no_list() {
        assert_eq!(
            answer(Some("0198c0de-0000-7000-8000-000000000000"), &[]),
            r#"{"batch_id":"0198c0de-0000-7000-8000-000000000000","received":1,"accepted":1,"rejected":0}"#
        );
    }

    #[test]
    fn rejections_are_listed_with_what_they_have() {
        let rejections = [
            Rejection { line: 1, reason: Reason::FieldNotAllowed, field: Some("a\"\n") },
            Rejection { line: 9, reason: Reason::UserAgentNotInAllowlist, field: None },
        ];
        assert_eq!(
            answer(None, &rejections),
            r#"{"received":3,"accepted":1,"rejected":2,"rejections":[{"line":1,"reason":"field_not_allowed","field":"a\"\n"},{"line":9,"reason":"user_agent_not_in_allowlist"}]}"#
        );
    }
}
