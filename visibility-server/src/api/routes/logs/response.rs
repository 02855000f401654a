//! The response to a batch, compressed if its sender accepts that.

use std::fs::File;
use std::io::{self, BufReader, Read};

use axum::body::{Body, Bytes};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, VARY};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use flate2::read::MultiGzDecoder;
use futures_util::stream;
use visibility_core::store::{StoreError, StoredObject};

use crate::http::accept::accepts_gzip;
use crate::http::response::{ApiError, json_bytes};
use crate::ingest::batch::{BatchResponse, BodySource};
use crate::ingest::sound;
use crate::runtime::clock;
use crate::state::AppState;
use crate::stores::state::damage::KnownObject;

/// Says that the answer was given before.
const IDEMPOTENT_REPLAY: HeaderName = HeaderName::from_static("idempotent-replay");
/// Bytes of an answer that are in memory at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// The answer on the wire.
///
/// # Errors
///
/// When the bytes of the answer cannot be read.
pub(super) async fn respond(
    state: &AppState,
    headers: &HeaderMap,
    answered: BatchResponse,
) -> Result<Response, ApiError> {
    let is_whole = answered.counts.rejected == 0;
    let status = if is_whole { StatusCode::ACCEPTED } else { StatusCode::MULTI_STATUS };
    count(state, status, &answered);
    let BatchResponse { body, is_replay, .. } = answered;
    let file = match body {
        BodySource::Json(json) => {
            return Ok(with_replay_header(json_bytes(status, json.into()), is_replay));
        }
        BodySource::GzipFile(file) => file,
        BodySource::GzipObject(object) => state.blocking(move |state| open(state, object)).await?,
    };
    if !accepts_gzip(headers) {
        let inflated = MultiGzDecoder::new(BufReader::with_capacity(PIECE_BYTES, file));
        return Ok(with_replay_header(json_bytes(status, streamed(inflated)), is_replay));
    }
    let length = file.metadata().map(|metadata| metadata.len()).ok();
    let mut response = json_bytes(status, streamed(file));
    let fields = response.headers_mut();
    fields.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    if let Some(length) = length {
        fields.insert(CONTENT_LENGTH, length.into());
    }
    Ok(with_replay_header(response, is_replay))
}

fn count(state: &AppState, status: StatusCode, answered: &BatchResponse) {
    let metrics = &state.shared().metrics;
    metrics.batch(status.as_u16());
    if answered.is_replay {
        metrics.replay();
        return;
    }
    metrics.accepted(answered.counts.accepted);
    for (&reason, &records) in &answered.reasons {
        metrics.rejected(reason, records);
    }
}

/// Opens a stored answer. It is looked at before its head is sent: nothing can be taken back afterwards.
fn open(state: &AppState, object: StoredObject) -> Result<File, ApiError> {
    let action = format!("read {}", object.name);
    let stores = &state.shared().stores;
    let sound = || -> Result<File, StoreError> {
        let known = KnownObject::answer(object)?;
        let file = sound::open(stores, &known, clock::now())?;
        file.ok_or_else(|| StoreError::unchanged(action, "it is damaged"))
    };
    sound().map_err(|error| ApiError::store(&error))
}

fn with_replay_header(mut response: Response, is_replay: bool) -> Response {
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if is_replay {
        headers.insert(IDEMPOTENT_REPLAY, HeaderValue::from_static("true"));
    }
    response
}

/// A body that is read piece by piece as the peer takes it. A piece is small enough to be read where it
/// is asked for.
fn streamed(mut source: impl Read + Send + 'static) -> Body {
    let mut is_over = false;
    let pieces = std::iter::from_fn(move || {
        if is_over {
            return None;
        }
        let piece = read_chunk(&mut source);
        is_over = piece.is_err();
        piece.map(|piece| (!piece.is_empty()).then_some(piece)).transpose()
    });
    Body::from_stream(stream::iter(pieces))
}

fn read_chunk(source: &mut impl Read) -> io::Result<Bytes> {
    let mut piece = Vec::with_capacity(PIECE_BYTES);
    source.take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
    Ok(piece.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn a_coded_answer_is_inflated_as_it_is_sent() {
        let text: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_be_bytes).collect();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&text).unwrap();
        let coded = encoder.finish().unwrap();
        let body = streamed(MultiGzDecoder::new(io::Cursor::new(coded)));
        assert!(body.collect().await.unwrap().to_bytes() == text);
    }

    #[tokio::test]
    async fn an_answer_that_cannot_be_read_to_its_end_is_cut_off() {
        let body = streamed(MultiGzDecoder::new(io::Cursor::new(b"\x1f\x8b\x08")));
        assert!(body.collect().await.is_err());
    }
}
