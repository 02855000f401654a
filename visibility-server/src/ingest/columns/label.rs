//! The label of an object, which says without the ledger what it is: whose records it has, of which batches, and how
//! many.

use chrono::{DateTime, SecondsFormat, Utc};
use flate2::bufread::GzDecoder;
use parquet::file::metadata::{FileMetaData, KeyValue};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::store::{Counts, ResponseBody};

use super::RecordSums;

/// The name under which a Parquet file has its label.
const LABEL: &str = "visibility.label";
/// Batches that a merged file names. One of more names none: the label would be longer than the records.
const MAX_BATCHES: usize = 10_000;

/// The label of an object.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Label {
    /// Whose records.
    pub tenant: Option<TenantSlug>,
    /// The batches that the records may be of. None if they are too many, or if a file of before is among those that
    /// were merged.
    pub batch_ids: Option<Vec<Uuid>>,
    /// What the records come to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sums: Option<RecordSums>,
    /// The batch, if there is one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchLabel>,
}

/// What a label says of a batch: all that the ledger knows.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct BatchLabel {
    /// When it arrived.
    pub received_at: String,
    /// Records that came.
    pub received: u64,
    /// Those that are kept.
    pub accepted: u64,
    /// Those that are not.
    pub rejected: u64,
    /// The response as JSON, if it is no object of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// The name of the object with the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_object: Option<String>,
}

impl Label {
    /// The label of the objects of a batch.
    pub(crate) fn of_batch(
        key: &BatchKey,
        received_at: DateTime<Utc>,
        counts: Counts,
        response: &ResponseBody,
    ) -> Self {
        let (response, response_object) = match response {
            ResponseBody::Inline(json) => (String::from_utf8(json.clone()).ok(), None),
            ResponseBody::Object(object) => (None, Some(object.name.clone())),
        };
        let Counts { received, accepted, rejected } = counts;
        let batch = BatchLabel {
            received_at: received_at.to_rfc3339_opts(SecondsFormat::Micros, true),
            received,
            accepted,
            rejected,
            response,
            response_object,
        };
        Self {
            tenant: Some(key.tenant.clone()),
            batch_ids: Some(vec![key.batch_id]),
            sums: None,
            batch: Some(batch),
        }
    }

    /// The same label, with what the records come to.
    pub(crate) fn with_sums(self, sums: RecordSums) -> Self {
        Self { sums: Some(sums), ..self }
    }

    /// The label of a file with the records of others.
    pub(crate) fn of_merged(tenant: &TenantSlug, labels: &[Option<Self>]) -> Self {
        let ids_of = |label: &Option<Self>| label.as_ref()?.batch_ids.clone();
        let known: Option<Vec<Vec<Uuid>>> = labels.iter().map(ids_of).collect();
        let mut ids = known.map(|known| known.concat());
        if let Some(ids) = &mut ids {
            ids.sort_unstable();
            ids.dedup();
        }
        Self {
            tenant: Some(tenant.clone()),
            batch_ids: ids.filter(|ids| ids.len() <= MAX_BATCHES),
            ..Self::default()
        }
    }

    /// The label that a Parquet file has.
    pub(crate) fn of_file(metadata: &FileMetaData) -> Option<Self> {
        let entries = metadata.key_value_metadata()?;
        let text = entries.iter().find(|entry| entry.key == LABEL)?.value.as_deref()?;
        serde_json::from_str(text).ok()
    }

    /// The label in the head of a gzip file.
    pub(crate) fn of_gzip_head(head: &[u8]) -> Option<Self> {
        let gzip = GzDecoder::new(head);
        serde_json::from_slice(gzip.header()?.comment()?).ok()
    }

    /// The label as a Parquet file has it.
    pub(super) fn entry(&self) -> KeyValue {
        KeyValue::new(LABEL.to_owned(), self.json())
    }

    /// The label as text.
    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(ids: &[u128]) -> Label {
        let batch_ids = Some(ids.iter().map(|id| Uuid::from_u128(*id)).collect());
        Label { batch_ids, ..Label::default() }
    }

    fn merged(labels: &[Option<Label>]) -> Option<Vec<u128>> {
        let merged = Label::of_merged(&"acme".parse().unwrap(), labels);
        Some(merged.batch_ids?.iter().map(Uuid::as_u128).collect())
    }

    #[test]
    fn a_merged_file_names_the_batches_of_all_if_they_are_known() {
        assert_eq!(merged(&[Some(label(&[3, 1])), Some(label(&[2, 3]))]), Some(vec![1, 2, 3]));
        assert_eq!(merged(&[Some(label(&[1])), None]), None, "a file of before");
        let many: Vec<u128> = (0..10_001).collect();
        assert_eq!(merged(&[Some(label(&many))]), None);
    }

    #[test]
    fn the_label_of_a_batch_has_its_response_as_it_is() {
        let key = BatchKey { tenant: "acme".parse().unwrap(), batch_id: Uuid::from_u128(7) };
        let counts = Counts { received: 3, accepted: 2, rejected: 1 };
        let json = br#"{"rejected": [ 1 ]}"#;
        let body = ResponseBody::Inline(json.to_vec());
        let label = Label::of_batch(&key, DateTime::UNIX_EPOCH, counts, &body);
        let read: Label = serde_json::from_str(&label.json()).unwrap();
        let batch = read.batch.unwrap();
        assert_eq!(batch.response.unwrap().as_bytes(), json);
        assert_eq!((batch.received, batch.accepted, batch.rejected), (3, 2, 1));
        assert_eq!(read.tenant, Some(key.tenant));
    }
}
