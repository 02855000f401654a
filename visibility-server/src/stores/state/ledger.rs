//! The ledger: the response to each batch, and the transaction that publishes it.

use std::collections::BTreeSet;

use uuid::Uuid;
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::store::Counts;
use visibility_core::store::{
    Ledger, Publication, PublishOutcome, ResponseBody, StoreError, StoredObject, StoredResponse,
};

use super::outbox::{Changed, FileChange};
use super::{StateStore, manifest, outbox, sums};
use crate::stores::database::{Row, SqlError, Statements, Transaction, Value, failed, params};

impl Ledger for StateStore {
    fn response(&self, key: &BatchKey) -> Result<Option<StoredResponse>, StoreError> {
        self.read(|statements| find_answer(statements, key))
            .map_err(failed(|| format!("look up batch {}", key.batch_id)))
    }

    fn publish(&self, publication: &Publication) -> Result<PublishOutcome, StoreError> {
        publication.check_sums()?;
        let key = &publication.key;
        self.write_as(Transaction::of_tenant(&key.tenant), |statements| {
            if !insert_batch(statements, publication)? {
                return find_answer(statements, key)?
                    .map(PublishOutcome::Before)
                    .ok_or_else(|| SqlError::unchanged("it is known and has no answer"));
            }
            if let Some(file) = &publication.file {
                let times = (publication.received_at, None);
                manifest::insert(statements, &key.tenant, file, times)?;
                outbox::announce(statements, Changed::Name(&file.name), FileChange::Published)?;
            }
            sums::add(statements, publication)?;
            Ok(PublishOutcome::First)
        })
        .map_err(failed(|| format!("publish batch {}", key.batch_id)))
    }

    fn unnamed(&self, names: &[String]) -> Result<BTreeSet<String>, StoreError> {
        let describe = || format!("look for the names of {} objects", names.len());
        self.database.settle().map_err(failed(describe))?;
        let mut unnamed: BTreeSet<String> = names.iter().cloned().collect();
        let named =
            self.read(|statements| named_of(statements, names)).map_err(failed(describe))?;
        for name in named {
            unnamed.remove(&name);
        }
        Ok(unnamed)
    }
}

impl StateStore {
    /// Whether the ledger or the manifest names an object with records or an answer.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn names_object(&self, name: &str) -> Result<bool, StoreError> {
        self.read(|statements| {
            statements.exists(
                "SELECT 1 FROM data_file WHERE name = ?1
                 UNION ALL SELECT 1 FROM batch WHERE body_object = ?1",
                params![name],
            )
        })
        .map_err(failed(|| format!("look for {name}")))
    }

    /// Whether the ledger knows all of some batches of a tenant.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn knows_batches(
        &self,
        tenant: &TenantSlug,
        ids: &[Uuid],
    ) -> Result<bool, StoreError> {
        self.read(|statements| {
            for some in ids.chunks(NAMES) {
                let mut values = vec![Value::Text(tenant.as_str())];
                values.extend(some.iter().map(|id| Value::Bytes(id.as_bytes())));
                values.resize(NAMES + 1, Value::Null);
                let known: usize = statements.query_one(
                    "SELECT count(*) FROM batch WHERE tenant = ?1 AND batch_id IN
                         (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
                    &values,
                    |row| row.get(0),
                )?;
                if known < some.len() {
                    return Ok(false);
                }
            }
            Ok(true)
        })
        .map_err(failed(|| format!("look for batches of {tenant}")))
    }

    /// How many files and answers are needed.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn needed_objects(&self) -> Result<usize, StoreError> {
        self.read(|statements| {
            statements.query_one(
                "SELECT (SELECT count(*) FROM data_file WHERE retired_at IS NULL)
                      + (SELECT count(*) FROM batch WHERE body_object IS NOT NULL)",
                &[],
                |row| row.get(0),
            )
        })
        .map_err(failed(|| "count the objects that are needed".to_owned()))
    }
}

fn find_answer(
    statements: &dyn Statements,
    key: &BatchKey,
) -> Result<Option<StoredResponse>, SqlError> {
    statements.query_opt(
        "SELECT received, accepted, rejected, body_object, body, body_digest
         FROM batch WHERE tenant = ?1 AND batch_id = ?2",
        params![key.tenant.as_str(), key.batch_id.as_bytes()],
        stored_answer,
    )
}

fn stored_answer(row: Row<'_>) -> Result<StoredResponse, SqlError> {
    let counts = Counts { received: row.get(0)?, accepted: row.get(1)?, rejected: row.get(2)? };
    let body = match row.get(3)? {
        Some(name) => ResponseBody::Object(StoredObject { name, digest: row.get(5)? }),
        None => ResponseBody::Inline(row.get(4)?),
    };
    Ok(StoredResponse { counts, body })
}

/// Whether the batch is new.
fn insert_batch(statements: &dyn Statements, publication: &Publication) -> Result<bool, SqlError> {
    let key = &publication.key;
    let counts = publication.response.counts;
    let (object, body) = match &publication.response.body {
        ResponseBody::Inline(body) => (None, Some(body)),
        ResponseBody::Object(object) => (Some(object), None),
    };
    let rows = statements.execute(
        "INSERT INTO batch
         (tenant, batch_id, received_at, received, accepted, rejected, body_object, body,
          body_digest)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (tenant, batch_id) DO NOTHING",
        params![
            key.tenant.as_str(),
            key.batch_id.as_bytes(),
            publication.received_at.timestamp_micros(),
            counts.received,
            counts.accepted,
            counts.rejected,
            object.map(|object| &object.name),
            body,
            object.and_then(|object| object.digest),
        ],
    )?;
    Ok(rows > 0)
}

/// How many names one statement looks for. One number keeps it one statement, which is prepared once.
const NAMES: usize = 16;

/// Those of some names that the ledger knows.
fn named_of(statements: &dyn Statements, names: &[String]) -> Result<Vec<String>, SqlError> {
    let mut named = Vec::new();
    for some in names.chunks(NAMES) {
        let mut values: Vec<Value<'_>> = some.iter().map(|name| Value::Text(name)).collect();
        values.resize(NAMES, Value::Null);
        let found: Vec<String> = statements.query_all(
            "SELECT body_object FROM batch WHERE body_object IN
                 (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
             UNION ALL SELECT name FROM data_file WHERE name IN
                 (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
             UNION ALL SELECT partial FROM data_file WHERE partial IN
                 (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            &values,
            |row| row.get(0),
        )?;
        named.extend(found);
    }
    Ok(named)
}
