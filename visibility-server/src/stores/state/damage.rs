//! Objects that are not what was written: readers, counts and copies leave them out until a good copy is in their place.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};
use serde::Serialize;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::digest::Digest;
use visibility_core::store::{StoreError, StoredObject};

use super::StateStore;
use super::column::{optional_time, slug, time};
use super::manifest::DataFile;
use super::outbox::{self, Changed, Consumer, FileChange};
use crate::stores::database::{Row, SqlError, Statements, Transaction, failed, params};

/// An object that the ledger names, and what the ledger knows of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct KnownObject {
    pub(crate) tenant: TenantSlug,
    pub(crate) object: StoredObject,
    pub(crate) content: Content,
}

/// What an object has.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Content {
    /// The records of a file.
    Records { rows: u64, bytes: u64, times: RangeInclusive<i64> },
    /// Their counts by path.
    Partial { records: u64 },
    /// The answer to a batch.
    Answer,
}

/// An object that is damaged, as the ledger knows it.
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct DamagedObject {
    /// The name of the object.
    pub name: String,
    /// Whose it is.
    pub tenant: TenantSlug,
    /// Why it is damaged.
    pub reason: String,
    /// When that was found out.
    pub found_at: DateTime<Utc>,
    /// How many records readers do not see; none of an answer or of counts by path, whose records are there.
    pub records: u64,
    /// The earliest of them.
    pub from: Option<DateTime<Utc>>,
    /// The latest of them.
    pub to: Option<DateTime<Utc>>,
}

/// What became of the note that an object is damaged.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Noted {
    /// It is damaged from now on.
    New,
    /// It was damaged before.
    Before,
    /// Nothing needs the object any more.
    NotNeeded,
}

/// How well the objects that are needed are known.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, Serialize)]
pub struct LookTotals {
    /// Objects of which no digest is known, as they were not read since there are digests.
    pub not_yet_verified: u64,
    /// When the object was written or last looked at for which that is longest ago.
    pub oldest_look: Option<DateTime<Utc>>,
    /// Damaged objects.
    pub damaged: u64,
}

impl KnownObject {
    /// The answer to a batch, whose tenant is in its name.
    pub(crate) fn answer(object: StoredObject) -> Result<Self, StoreError> {
        let tenant = object.name.strip_prefix("answers/tenant=").and_then(|rest| {
            let (tenant, _) = rest.split_once('/')?;
            tenant.parse().ok()
        });
        match tenant {
            Some(tenant) => Ok(Self { tenant, object, content: Content::Answer }),
            None => Err(StoreError::unchanged(
                format!("read {}", object.name),
                "it is not the name of an answer",
            )),
        }
    }
}

impl DataFile {
    /// The object with the records, of a file of some tenant.
    pub(crate) fn known_records(&self, tenant: &TenantSlug) -> KnownObject {
        let file = &self.file;
        KnownObject {
            tenant: tenant.clone(),
            object: file.records_object(),
            content: Content::Records {
                rows: file.rows,
                bytes: file.bytes,
                times: file.min_timestamp_micros..=file.max_timestamp_micros,
            },
        }
    }

    /// The object with the counts by path, if there is one.
    pub(crate) fn known_partial(&self, tenant: &TenantSlug) -> Option<KnownObject> {
        Some(KnownObject {
            tenant: tenant.clone(),
            object: self.file.partial_object()?,
            content: Content::Partial { records: self.file.rows },
        })
    }
}

/// Files of which an addition waits for the Delta log, which then need not be removed from it.
const WAITS_FOR_DELTA: &str = "EXISTS (SELECT 1 FROM file_event
     WHERE file_id = data_file.id AND consumer = 'delta' AND kind IN (0, 1, 5))";

impl StateStore {
    /// Notes that an object is damaged.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn note_damage(
        &self,
        known: &KnownObject,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<Noted, StoreError> {
        let (name, tenant) = (&known.object.name, &known.tenant);
        self.write_as(Transaction::of_tenant(tenant), |statements| {
            if !is_needed(statements, known)? {
                return Ok(Noted::NotNeeded);
            }
            let rows = statements.execute(
                "INSERT INTO damage (object, tenant, found_at, reason) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (object) DO NOTHING",
                params![name, tenant.as_str(), now.timestamp_micros(), reason],
            )?;
            if rows == 0 {
                return Ok(Noted::Before);
            }
            if matches!(known.content, Content::Records { .. }) {
                announce_to_delta(statements, name, FileChange::Damaged)?;
            }
            Ok(Noted::New)
        })
        .map_err(failed(|| format!("note that {name} is damaged")))
    }

    /// Notes that a good copy of a damaged object is in its place. Says whether it was damaged.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn undo_damage(&self, known: &KnownObject) -> Result<bool, StoreError> {
        let name = &known.object.name;
        self.write_as(Transaction::of_tenant(&known.tenant), |statements| {
            let rows = statements.execute("DELETE FROM damage WHERE object = ?1", params![name])?;
            if rows == 0 || !matches!(known.content, Content::Records { .. }) {
                return Ok(rows > 0);
            }
            let unsaid = statements.execute(
                "DELETE FROM file_event WHERE kind = ?2
                     AND file_id IN (SELECT id FROM data_file WHERE name = ?1)",
                params![name, FileChange::Damaged.number()],
            )?;
            if unsaid == 0 {
                announce_to_delta(statements, name, FileChange::Restored)?;
            }
            Ok(true)
        })
        .map_err(failed(|| format!("note that {name} is whole again")))
    }

    /// Notes that an object was looked at, and is as it was written. It gets the digest if it has none.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn note_look(
        &self,
        known: &KnownObject,
        digest: Digest,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let name = &known.object.name;
        let micros = now.timestamp_micros();
        self.write(|statements| match known.content {
            Content::Records { .. } => statements.execute(
                "UPDATE data_file SET digest = coalesce(digest, ?2), looked_at = ?3 WHERE name = ?1",
                params![name, digest, micros],
            ),
            // The time is that of the look at the records.
            Content::Partial { .. } => statements.execute(
                "UPDATE data_file SET partial_digest = coalesce(partial_digest, ?2)
                 WHERE partial = ?1",
                params![name, digest],
            ),
            Content::Answer => statements.execute(
                "UPDATE batch SET body_digest = coalesce(body_digest, ?2), looked_at = ?3
                 WHERE body_object = ?1",
                params![name, digest, micros],
            ),
        })
        .map(|_rows| ())
        .map_err(failed(|| format!("note the look at {name}")))
    }

    /// Objects that were not looked at since some time, or never and have no digest: those with the oldest look first, but
    /// files before answers, and no damaged ones.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn objects_to_look_at(
        &self,
        before: DateTime<Utc>,
        most: usize,
    ) -> Result<Vec<KnownObject>, StoreError> {
        let before = before.timestamp_micros();
        self.read(|statements| {
            let mut found = Vec::new();
            statements.query(
                "SELECT tenant, name, digest, rows, bytes, min_time, max_time, partial,
                     partial_digest
                 FROM data_file WHERE retired_at IS NULL
                     AND (coalesce(looked_at, created_at) < ?1
                         OR looked_at IS NULL AND digest IS NULL)
                     AND NOT EXISTS (SELECT 1 FROM damage WHERE object = name)
                 ORDER BY coalesce(looked_at, created_at), id LIMIT ?2",
                params![before, most],
                &mut |row| {
                    let file = known_file(row)?;
                    // The look at the records is the one that is noted with its time, so it comes last.
                    found.extend(known_partial(row, &file)?);
                    found.push(file);
                    Ok(())
                },
            )?;
            if !found.is_empty() {
                return Ok(found);
            }
            statements.query_all(
                "SELECT tenant, body_object, body_digest FROM batch
                 WHERE body_object IS NOT NULL
                     AND (coalesce(looked_at, received_at) < ?1
                         OR looked_at IS NULL AND body_digest IS NULL)
                     AND NOT EXISTS (SELECT 1 FROM damage WHERE object = body_object)
                 ORDER BY coalesce(looked_at, received_at), body_object LIMIT ?2",
                params![before, most],
                known_answer,
            )
        })
        .map_err(failed(|| "read which objects to look at".to_owned()))
    }

    /// The damaged objects that are needed, in the order of their names, as the ledger knows them.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn known_damaged(&self) -> Result<Vec<KnownObject>, StoreError> {
        self.read(|statements| {
            let mut found: Vec<KnownObject> = statements.query_all(
                "SELECT data_file.tenant, name, digest, rows, bytes, min_time, max_time
                 FROM damage JOIN data_file ON name = object
                 WHERE retired_at IS NULL ORDER BY name",
                &[],
                known_file,
            )?;
            statements.query(
                "SELECT data_file.tenant, name, digest, rows, bytes, min_time, max_time, partial,
                     partial_digest
                 FROM damage JOIN data_file ON partial = object
                 WHERE retired_at IS NULL ORDER BY name",
                &[],
                &mut |row| {
                    let file = known_file(row)?;
                    found.extend(known_partial(row, &file)?);
                    Ok(())
                },
            )?;
            let answers: Vec<KnownObject> = statements.query_all(
                "SELECT batch.tenant, body_object, body_digest
                 FROM damage JOIN batch ON body_object = object ORDER BY body_object",
                &[],
                known_answer,
            )?;
            found.extend(answers);
            Ok(found)
        })
        .map_err(failed(|| "read the damaged objects".to_owned()))
    }

    /// The damaged objects that are needed, in the order of their names, of one tenant or of all.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn damaged_objects(
        &self,
        tenant: Option<&TenantSlug>,
    ) -> Result<Vec<DamagedObject>, StoreError> {
        self.read(|statements| damaged(statements, tenant))
            .map_err(failed(|| "read the damaged objects".to_owned()))
    }

    /// How well the objects are known that are needed.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn look_totals(&self) -> Result<LookTotals, StoreError> {
        self.read(|statements| {
            let (of_files, oldest_file): (u64, Option<DateTime<Utc>>) = statements.query_one(
                "SELECT count(CASE WHEN digest IS NULL THEN 1 END)
                     + count(CASE WHEN partial IS NOT NULL AND partial_digest IS NULL THEN 1 END),
                     min(coalesce(looked_at, created_at))
                 FROM data_file WHERE retired_at IS NULL",
                &[],
                |row| Ok((row.get(0)?, optional_time(row, 1)?)),
            )?;
            let (of_answers, oldest_answer): (u64, Option<DateTime<Utc>>) = statements.query_one(
                "SELECT count(CASE WHEN body_digest IS NULL THEN 1 END),
                     min(coalesce(looked_at, received_at))
                 FROM batch WHERE body_object IS NOT NULL",
                &[],
                |row| Ok((row.get(0)?, optional_time(row, 1)?)),
            )?;
            Ok(LookTotals {
                not_yet_verified: of_files + of_answers,
                oldest_look: oldest_file.into_iter().chain(oldest_answer).min(),
                damaged: damaged(statements, None)?.len() as u64,
            })
        })
        .map_err(failed(|| "read when objects were looked at".to_owned()))
    }

    /// All objects that are needed, as the ledger knows them.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn needed(&self) -> Result<Vec<KnownObject>, StoreError> {
        let snapshot = self.ledger_snapshot()?;
        let mut objects = Vec::new();
        for (tenant, file) in &snapshot.files {
            objects.extend(file.known_partial(tenant));
            objects.push(file.known_records(tenant));
        }
        for (_tenant, answer) in snapshot.answers {
            objects.push(KnownObject::answer(answer)?);
        }
        Ok(objects)
    }

    /// The digests of all objects that are needed and have one.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn digests(&self) -> Result<BTreeMap<String, Digest>, StoreError> {
        let digest = |known: KnownObject| Some((known.object.name, known.object.digest?));
        Ok(self.needed()?.into_iter().filter_map(digest).collect())
    }

    /// Strikes what is known of damaged objects that nothing names any more.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub(crate) fn forget_unneeded_damage(&self) -> Result<(), StoreError> {
        self.write(|statements| {
            statements.execute(
                "DELETE FROM damage WHERE
                     NOT EXISTS (SELECT 1 FROM data_file WHERE name = object)
                     AND NOT EXISTS (SELECT 1 FROM data_file WHERE partial = object)
                     AND NOT EXISTS (SELECT 1 FROM batch WHERE body_object = object)",
                &[],
            )
        })
        .map(|_rows| ())
        .map_err(failed(|| "forget damage that is over".to_owned()))
    }
}

/// Damaged objects that are needed.
pub(super) fn damaged(
    statements: &dyn Statements,
    tenant: Option<&TenantSlug>,
) -> Result<Vec<DamagedObject>, SqlError> {
    let tenant = tenant.map(TenantSlug::as_str);
    statements.query_all(
        "SELECT object, damage.tenant, reason, found_at, coalesce(rows, 0), min_time, max_time
         FROM damage LEFT JOIN data_file ON name = object
         WHERE (CAST(?1 AS TEXT) IS NULL OR damage.tenant = ?1) AND (
             name IS NOT NULL AND retired_at IS NULL
             OR EXISTS (SELECT 1 FROM data_file AS counted
                 WHERE counted.partial = object AND counted.retired_at IS NULL)
             OR EXISTS (SELECT 1 FROM batch WHERE body_object = object))
         ORDER BY object",
        params![tenant],
        |row| {
            Ok(DamagedObject {
                name: row.get(0)?,
                tenant: slug(row, 1)?,
                reason: row.get(2)?,
                found_at: time(row, 3)?,
                records: row.get(4)?,
                from: optional_time(row, 5)?,
                to: optional_time(row, 6)?,
            })
        },
    )
}

/// Whether a live file or a batch has the object.
fn is_needed(statements: &dyn Statements, known: &KnownObject) -> Result<bool, SqlError> {
    let sql = match known.content {
        Content::Records { .. } => "SELECT 1 FROM data_file WHERE name = ?1 AND retired_at IS NULL",
        Content::Partial { .. } => {
            "SELECT 1 FROM data_file WHERE partial = ?1 AND retired_at IS NULL"
        }
        Content::Answer => "SELECT 1 FROM batch WHERE body_object = ?1",
    };
    statements.exists(sql, params![known.object.name])
}

/// Says to the Delta log that a file is damaged or restored, unless the log does not have it yet.
fn announce_to_delta(
    statements: &dyn Statements,
    name: &str,
    change: FileChange,
) -> Result<(), SqlError> {
    let is_waiting = statements.exists(
        &format!("SELECT 1 FROM data_file WHERE name = ?1 AND {WAITS_FOR_DELTA}"),
        params![name],
    )?;
    if is_waiting {
        return Ok(());
    }
    outbox::announce_to(statements, Consumer::Delta, Changed::Name(name), change)
}

fn known_file(row: Row<'_>) -> Result<KnownObject, SqlError> {
    Ok(KnownObject {
        tenant: slug(row, 0)?,
        object: StoredObject { name: row.get(1)?, digest: row.get(2)? },
        content: Content::Records {
            rows: row.get(3)?,
            bytes: row.get(4)?,
            times: row.get(5)?..=row.get(6)?,
        },
    })
}

fn known_partial(row: Row<'_>, file: &KnownObject) -> Result<Option<KnownObject>, SqlError> {
    let Some(name) = row.get::<Option<String>>(7)? else { return Ok(None) };
    Ok(Some(KnownObject {
        tenant: file.tenant.clone(),
        object: StoredObject { name, digest: row.get(8)? },
        content: Content::Partial { records: row.get(3)? },
    }))
}

fn known_answer(row: Row<'_>) -> Result<KnownObject, SqlError> {
    Ok(KnownObject {
        tenant: slug(row, 0)?,
        object: StoredObject { name: row.get(1)?, digest: row.get(2)? },
        content: Content::Answer,
    })
}
