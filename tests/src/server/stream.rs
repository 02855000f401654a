//! Bodies that are made while they are sent.

use std::io;
use std::time::Duration;

use axum::body::Body;
use axum::http::Response;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use flate2::{Compress, Compression, FlushCompress};
use futures_util::{StreamExt, stream};

const MIB: usize = 1 << 20;
const START: &str = "<!doctype html><html lang=\"en\"><title>Stream</title><body><p>";

/// A body without a natural size.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Stream {
    /// HTML as fast as the client takes it, without end.
    Endless,
    /// HTML, one byte every 200 ms, without end.
    Drip,
    /// HTML of 10 GiB in 10 MiB of gzip.
    GzipBomb,
}

impl Stream {
    /// The whole response, status 200.
    pub(super) fn response(self) -> Response<Body> {
        let builder = Response::builder().header(CONTENT_TYPE, "text/html; charset=utf-8");
        let start = stream::iter([START.as_bytes().to_vec()]);
        let (builder, body) = match self {
            Self::Endless => {
                let chunk = b"All work and no play. ".repeat(700);
                (builder, start.chain(stream::repeat(chunk)).map(io::Result::Ok).boxed())
            }
            Self::Drip => {
                let drops = stream::repeat(b".".to_vec()).then(|drop| async move {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    drop
                });
                (builder, start.chain(drops).map(io::Result::Ok).boxed())
            }
            Self::GzipBomb => {
                let builder = builder.header(CONTENT_ENCODING, "gzip");
                (builder, stream::iter(bomb(10_240)).map(io::Result::Ok).boxed())
            }
        };
        builder.body(Body::from_stream(body)).expect("a response")
    }
}

/// A gzip member of this many mebibytes of spaces behind the start of a page.
///
/// Every part ends at a byte and refers to nothing outside itself, so that one part can be sent
/// again and again.
fn bomb(mebibytes: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut head = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    head.extend(deflated(START.as_bytes()));
    let part = deflated(&vec![b' '; MIB]);
    std::iter::once(head).chain(std::iter::repeat_n(part, mebibytes))
}

fn deflated(text: &[u8]) -> Vec<u8> {
    let mut deflate = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(text.len() / 100 + 1_024);
    deflate.compress_vec(text, &mut out, FlushCompress::Sync).expect("a deflate stream");
    out
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn the_bomb_inflates_a_thousandfold() {
        let packed: Vec<u8> = bomb(4).flatten().collect();
        assert!(packed.len() < 4 * MIB / 500, "{} bytes", packed.len());
        let mut unpacked = Vec::new();
        // The member has no end, as a bomb that is cut off has none.
        GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap_err();
        assert!(unpacked.starts_with(START.as_bytes()));
        assert_eq!(unpacked.len(), START.len() + 4 * MIB);
    }
}
