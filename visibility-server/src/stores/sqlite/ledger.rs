//! The ledger: the response to each batch, and the transaction that publishes it.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use visibility_core::accounts::tenant::BatchKey;
use visibility_core::store::Counts;
use visibility_core::store::{
    Ledger, Publication, PublishOutcome, ResponseBody, StoreError, StoredResponse,
};

use super::{Sqlite, begin, failed, manifest, rollup};
use crate::runtime::fault;

impl Ledger for Sqlite {
    fn response(&self, key: &BatchKey) -> Result<Option<StoredResponse>, StoreError> {
        find_answer(&self.reader(), key)
            .map_err(failed(|| format!("look up batch {}", key.batch_id)))
    }

    fn publish(&self, publication: &Publication) -> Result<PublishOutcome, StoreError> {
        publication.check_sums()?;
        let key = &publication.key;
        let describe = || format!("publish batch {}", key.batch_id);
        fault::point("before-begin")?;
        let mut writer = self.writer();
        let transaction = begin(&mut writer)?;
        if !insert_batch(&transaction, publication).map_err(failed(describe))? {
            let answer = find_answer(&transaction, key).map_err(failed(describe))?;
            return answer
                .map(PublishOutcome::Before)
                .ok_or_else(|| StoreError::unchanged(describe(), "it is known and has no answer"));
        }
        fault::point("after-insert-batch")?;
        if let Some(file) = &publication.file {
            manifest::insert(&transaction, &key.tenant, file, publication.received_at)
                .map_err(failed(describe))?;
        }
        fault::point("after-manifest")?;
        rollup::add(&transaction, publication).map_err(failed(describe))?;
        fault::point("after-rollup")?;
        fault::point("before-commit")?;
        self.commit(transaction, describe)?;
        fault::point(fault::AFTER_COMMIT)?;
        Ok(PublishOutcome::First)
    }

    fn objects(&self) -> Result<BTreeSet<String>, StoreError> {
        self.settle()?;
        let reader = self.reader();
        named_objects(&reader).map_err(failed(|| "read the names of all objects".to_owned()))
    }
}

impl Sqlite {
    /// Whether the ledger or the manifest names an object with records or an answer.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn names_object(&self, name: &str) -> Result<bool, StoreError> {
        self.reader()
            .query_row(
                "SELECT EXISTS (SELECT 1 FROM data_file WHERE name = ?1)
                     OR EXISTS (SELECT 1 FROM batch WHERE body_object = ?1)",
                params![name],
                |row| row.get(0),
            )
            .map_err(failed(|| format!("look for {name}")))
    }

    /// How many files and answers are needed.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn needed_objects(&self) -> Result<usize, StoreError> {
        self.reader()
            .query_row(
                "SELECT (SELECT count(*) FROM data_file WHERE retired_at IS NULL)
                      + (SELECT count(*) FROM batch WHERE body_object IS NOT NULL)",
                [],
                |row| row.get(0),
            )
            .map_err(failed(|| "count the objects that are needed".to_owned()))
    }
}

fn find_answer(
    connection: &Connection,
    key: &BatchKey,
) -> Result<Option<StoredResponse>, rusqlite::Error> {
    connection
        .prepare_cached(
            "SELECT received, accepted, rejected, body_object, body
             FROM batch WHERE tenant = ?1 AND batch_id = ?2",
        )?
        .query_row(params![key.tenant.as_str(), key.batch_id.as_bytes()], stored_answer)
        .optional()
}

fn stored_answer(row: &Row<'_>) -> Result<StoredResponse, rusqlite::Error> {
    let counts = Counts { received: row.get(0)?, accepted: row.get(1)?, rejected: row.get(2)? };
    let body = match row.get(3)? {
        Some(name) => ResponseBody::Object(name),
        None => ResponseBody::Inline(row.get(4)?),
    };
    Ok(StoredResponse { counts, body })
}

/// Whether the batch is new.
fn insert_batch(
    transaction: &Transaction<'_>,
    publication: &Publication,
) -> Result<bool, rusqlite::Error> {
    let key = &publication.key;
    let counts = publication.response.counts;
    let (object, body) = match &publication.response.body {
        ResponseBody::Inline(body) => (None, Some(body)),
        ResponseBody::Object(name) => (Some(name), None),
    };
    let rows = transaction
        .prepare_cached(
            "INSERT INTO batch
             (tenant, batch_id, received_at, received, accepted, rejected, body_object, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (tenant, batch_id) DO NOTHING",
        )?
        .execute(params![
            key.tenant.as_str(),
            key.batch_id.as_bytes(),
            publication.received_at.timestamp_micros(),
            counts.received,
            counts.accepted,
            counts.rejected,
            object,
            body,
        ])?;
    Ok(rows > 0)
}

fn named_objects(connection: &Connection) -> Result<BTreeSet<String>, rusqlite::Error> {
    let mut select = connection.prepare_cached(
        "SELECT body_object FROM batch WHERE body_object IS NOT NULL
         UNION ALL SELECT name FROM data_file
         UNION ALL SELECT partial FROM data_file WHERE partial IS NOT NULL",
    )?;
    select.query_map([], |row| row.get(0))?.collect()
}
