//! Inflating and judging beside each other.

use std::fs::File;
use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use visibility_core::agents::Registry;
use visibility_core::ingest::{
    BatchError, BatchReader, ContentCoding, Counts, Inflate, RecordSink, Rules,
};

/// Octets of a piece that goes from one thread to the other.
const CHUNK_BYTES: usize = 256 * 1024;
/// Pieces on their way.
const CHUNKS: usize = 2;
/// Octets of a body from which a second thread pays.
const WORTH_A_THREAD: u64 = 64 * 1024;

/// What goes to the judge: a piece of the body, or why there is no more.
type Piece = Result<Vec<u8>, BatchError>;

/// Inflates and judges a body.
pub(super) fn judge(
    body: File,
    coding: ContentCoding,
    rules: &Rules,
    sink: &mut impl RecordSink,
) -> Result<Counts, BatchError> {
    let length = body.metadata().map_err(BatchError::Read)?.len();
    let body = Inflate::new(body, coding);
    let reader = BatchReader::new(rules, Registry::embedded(), sink);
    if length < WORTH_A_THREAD { on_one_thread(body, reader) } else { on_two(body, reader) }
}

fn on_one_thread(
    mut body: Inflate<File>,
    mut reader: BatchReader<'_, impl RecordSink>,
) -> Result<Counts, BatchError> {
    let mut chunk = Vec::with_capacity(CHUNK_BYTES);
    while fill(&mut body, &mut chunk)? {
        reader.feed(&chunk)?;
    }
    reader.finish()
}

fn on_two(
    body: Inflate<File>,
    mut reader: BatchReader<'_, impl RecordSink>,
) -> Result<Counts, BatchError> {
    let (to_judge, pieces) = sync_channel::<Piece>(CHUNKS);
    let (to_inflate, empty) = sync_channel::<Vec<u8>>(CHUNKS + 1);
    thread::scope(|scope| {
        scope.spawn(move || inflate(body, &to_judge, &empty));
        for piece in pieces {
            let chunk = piece?;
            reader.feed(&chunk)?;
            // The other thread has ended when nobody takes the empty chunk.
            let _ = to_inflate.try_send(chunk);
        }
        reader.finish()
    })
}

/// Sends the body piece by piece, until it ends or nobody listens.
fn inflate(mut body: Inflate<File>, to_judge: &SyncSender<Piece>, empty: &Receiver<Vec<u8>>) {
    loop {
        let mut chunk = empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(CHUNK_BYTES));
        let piece = match fill(&mut body, &mut chunk) {
            Ok(true) => Ok(chunk),
            Ok(false) => return,
            Err(error) => Err(error),
        };
        let is_last = piece.is_err();
        if to_judge.send(piece).is_err() || is_last {
            return;
        }
    }
}

/// Fills the chunk; says whether there is anything in it.
fn fill(body: &mut Inflate<File>, chunk: &mut Vec<u8>) -> Result<bool, BatchError> {
    chunk.clear();
    let wanted = u64::try_from(CHUNK_BYTES).unwrap_or(u64::MAX);
    match body.by_ref().take(wanted).read_to_end(chunk) {
        Ok(read) => Ok(read > 0),
        Err(error) => Err(error.into()),
    }
}
