//! Processes one batch, from its spooled body to its response.
//!
//! Accepted records go into the objects of the batch, rejections into its answer; nothing of either
//! exists for anybody until the commit. A batch keeps one core busy, and as many batches run at a time as
//! there are cores: a second thread would make one alone faster, and all of them together slower.

mod response;
mod sink;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use visibility_core::accounts::tenant::BatchKey;
use visibility_core::ingest::{BatchError, ContentCoding, Reason, Rules, read_batch};
use visibility_core::store::Counts;
use visibility_core::store::commit::StagedObjects;
use visibility_core::store::sums::RejectionRow;
use visibility_core::store::{Publication, ResponseBody, StoreError, StoredObject, StoredResponse};

use self::response::Rejections;
use self::sink::{BatchSink, TestSink};
use crate::ingest::columns::Label;
use crate::runtime::fault;
use crate::stores::Stores;

/// What the head of a request says about its batch.
#[derive(Clone, Debug)]
pub struct BatchRequest {
    /// Whose batch, and which.
    pub key: BatchKey,
    /// How the body is coded.
    pub coding: ContentCoding,
    /// What the records are judged by.
    pub rules: Rules,
    /// Whether anything is kept.
    pub mode: Mode,
}

/// Whether a batch is kept.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mode {
    /// Accepted records are kept, and the answer with them.
    Ingest,
    /// The same judgement and answer, and nothing is kept.
    Test,
}

/// The answer to a batch.
#[derive(Debug)]
pub struct BatchResponse {
    /// 202 when nothing was rejected, else 207.
    pub counts: Counts,
    /// How often a rule was broken; empty for a replay.
    pub reasons: BTreeMap<Reason, u64>,
    /// Where the body is read from.
    pub body: BodySource,
    /// Whether another sender's copy of the batch was faster, and this is its answer.
    pub is_replay: bool,
}

/// Where the bytes of an answer are.
#[derive(Debug)]
pub enum BodySource {
    /// Here, as JSON.
    Json(Vec<u8>),
    /// In this object, as gzipped JSON.
    GzipObject(StoredObject),
    /// In this file that has no name, as gzipped JSON; to be read from its start.
    GzipFile(File),
}

impl From<StoredResponse> for BatchResponse {
    fn from(answer: StoredResponse) -> Self {
        let body = match answer.body {
            ResponseBody::Inline(json) => BodySource::Json(json),
            ResponseBody::Object(object) => BodySource::GzipObject(object),
        };
        Self { counts: answer.counts, reasons: BTreeMap::new(), body, is_replay: true }
    }
}

/// Why a batch has no answer. Nothing of it is kept, unless the store is in doubt.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// The sender's fault.
    #[error(transparent)]
    Batch(BatchError),
    /// Ours.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<BatchError> for IngestError {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::Sink(error) => Self::Store(error),
            BatchError::Read(source) => {
                Self::Store(StoreError::unchanged("read the spooled body", source))
            }
            error => Self::Batch(error),
        }
    }
}

/// Judges the body of a batch, keeps what is accepted, and says the answer. Blocks.
///
/// # Errors
///
/// [`IngestError`]; the same batch may be sent again after any of them.
pub fn ingest(
    request: &BatchRequest,
    body: File,
    stores: &Stores,
) -> Result<BatchResponse, IngestError> {
    match request.mode {
        Mode::Ingest => store_batch(request, body, stores),
        Mode::Test => dry_run(request, body, stores),
    }
}

fn store_batch(
    request: &BatchRequest,
    body: File,
    stores: &Stores,
) -> Result<BatchResponse, IngestError> {
    fault::point("after-spool")?;
    stores.refuse_older_database()?;
    let mut staged = StagedObjects::new(stores.objects());
    let tenant = &request.key.tenant;
    let mut sink = BatchSink::new(&mut staged, tenant, Rejections::new(stores.spool()));
    let counts = read_batch(body, request.coding, &request.rules, &mut sink)?;
    refuse_wrong_times(sink.rejections().reasons(), request, stores)?;
    let mut body = match sink.rejections().inline(request.key.batch_id, counts) {
        Some(json) => ResponseBody::Inline(json),
        None => ResponseBody::Object(StoredObject {
            name: format!("answers/tenant={tenant}/{}.json.gz", Uuid::now_v7()),
            digest: None,
        }),
    };
    let label = Label::of_batch(&request.key, request.rules.now, counts, &body);
    let mut kept = sink.finish(&label)?;
    fault::point("after-partial-finish")?;

    let reasons = kept.rejections.reasons().clone();
    if let ResponseBody::Object(answer) = &mut body {
        let object = staged.create(&answer.name)?;
        kept.rejections.write_object(&request.key, counts, (&label, object))?;
        answer.digest = staged.digest(&answer.name);
    }
    fault::point("after-answer-object")?;

    let named = reasons.iter().map(|(reason, records)| (reason.as_str(), *records));
    kept.sums.rejections = rejection_rows(named, request.rules.now);
    let publication = Publication {
        key: request.key.clone(),
        received_at: request.rules.now,
        response: StoredResponse { counts, body },
        file: kept.file,
        sums: kept.sums,
    };
    let committed = staged.commit(stores.state_store(), &publication)?;
    // The commit may have been the first that another database has heard of us: the sender is to ask again.
    stores.refuse_older_database()?;
    // The objects of a replay are not published: they are being removed.
    if !committed.is_replay {
        stores.batch_published(&publication);
    }
    fault::point(fault::BEFORE_ANSWER)?;
    let answered = BatchResponse::from(committed.response);
    Ok(if committed.is_replay {
        answered
    } else {
        BatchResponse { reasons, is_replay: false, ..answered }
    })
}

/// Refuses to reject records for their times, which is for good, by a clock that may have jumped.
fn refuse_wrong_times(
    reasons: &BTreeMap<Reason, u64>,
    request: &BatchRequest,
    stores: &Stores,
) -> Result<(), StoreError> {
    let is_of_time = [Reason::TimestampTooOld, Reason::TimestampInFuture]
        .iter()
        .any(|reason| reasons.contains_key(reason));
    if !is_of_time || stores.can_judge_times(request.rules.now)? {
        return Ok(());
    }
    let hint = "the clock has jumped; set it, or confirm it with `visibility-server clock accept`";
    Err(StoreError::unchanged("judge the times of records", hint))
}

/// The response to a batch of which all records were accepted.
pub(crate) fn response_without_rejections(
    batch_id: Uuid,
    counts: Counts,
) -> Result<Vec<u8>, StoreError> {
    response::without_rejections(batch_id, counts)
        .map_err(|error| StoreError::io("write the response of a batch", error))
}

/// The lines of a batch that were rejected, by the reasons that its response names.
///
/// # Errors
///
/// When it is no such response.
pub(crate) fn rejections_of(
    response: impl io::Read,
    received_at: DateTime<Utc>,
) -> io::Result<Vec<RejectionRow>> {
    let reasons = response::count_reasons(response)?;
    let named = reasons.iter().map(|(reason, records)| (reason.as_str(), *records));
    Ok(rejection_rows(named, received_at))
}

fn rejection_rows<'a>(
    reasons: impl Iterator<Item = (&'a str, u64)>,
    received_at: DateTime<Utc>,
) -> Vec<RejectionRow> {
    let day = received_at.date_naive();
    let row =
        |(reason, records): (&str, u64)| RejectionRow { day, reason: reason.to_owned(), records };
    let mut rows: Vec<RejectionRow> = reasons.map(row).collect();
    rows.sort_unstable();
    rows
}

fn dry_run(
    request: &BatchRequest,
    body: File,
    stores: &Stores,
) -> Result<BatchResponse, IngestError> {
    let mut sink = TestSink { rejections: Rejections::new(stores.spool()) };
    let counts = read_batch(body, request.coding, &request.rules, &mut sink)?;
    let batch_id = request.key.batch_id;
    let reasons = sink.rejections.reasons().clone();
    let body = match sink.rejections.inline(batch_id, counts) {
        Some(json) => BodySource::Json(json),
        None => BodySource::GzipFile(sink.rejections.write_file(batch_id, counts)?),
    };
    Ok(BatchResponse { counts, reasons, body, is_replay: false })
}

#[cfg(test)]
mod tests;
