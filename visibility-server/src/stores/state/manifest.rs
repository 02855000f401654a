//! The manifest: which files exist for readers.

use std::ops::RangeInclusive;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::{NewFile, StoreError};

use super::StateStore;
use super::column::{day, slug, time};
use super::outbox::{self, Changed, FileChange};
use crate::stores::database::{Row, SqlError, Statements, Transaction, Value, failed, params};

/// A file in the manifest.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct DataFile {
    /// Its number, never used again.
    pub id: i64,
    /// When it was published.
    pub created_at: DateTime<Utc>,
    /// What it is.
    pub file: NewFile,
    /// Whether its counts by path are damaged.
    pub is_partial_damaged: bool,
}

/// The objects of a file that readers do not see any more.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RetiredFile {
    /// The id of the file in the manifest.
    pub id: i64,
    /// Name of the object with the records.
    pub name: String,
    /// Name of the object with counts by path, if it has one.
    pub partial: Option<String>,
}

/// What is read of a file.
pub(super) const COLUMNS: &str =
    "id, created_at, name, partial, rows, bytes, min_time, max_time, day, digest, partial_digest,
     CAST(CASE WHEN EXISTS (SELECT 1 FROM damage WHERE object = partial) THEN 1 ELSE 0 END
         AS BIGINT)";

/// How many columns they are.
pub(super) const COLUMNS_COUNT: usize = 12;

/// Whether the records of a file are as they were written.
pub(super) const IS_SOUND: &str = "NOT EXISTS (SELECT 1 FROM damage WHERE object = data_file.name)";

impl StateStore {
    /// The tenants that have files, in the order of their slugs.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn tenants_with_files(&self) -> Result<Vec<TenantSlug>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT DISTINCT tenant FROM data_file WHERE retired_at IS NULL ORDER BY tenant",
                &[],
                |row| slug(row, 0),
            )
        })
        .map_err(failed(|| "read the tenants with files".to_owned()))
    }

    /// The live files of a tenant that may have records of some days, in the order of their
    /// publication, without those whose records are damaged.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn live_files(
        &self,
        tenant: &TenantSlug,
        days: &RangeInclusive<NaiveDate>,
    ) -> Result<Vec<DataFile>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM data_file WHERE tenant = ?1 AND retired_at IS NULL
             AND max_time >= ?2 AND min_time < ?3 AND {IS_SOUND} ORDER BY id"
        );
        self.files_of_days(tenant, days, &sql)
    }

    /// The same, of the files whose records are damaged.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn damaged_files(
        &self,
        tenant: &TenantSlug,
        days: &RangeInclusive<NaiveDate>,
    ) -> Result<Vec<DataFile>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM data_file WHERE tenant = ?1 AND retired_at IS NULL
             AND max_time >= ?2 AND min_time < ?3 AND NOT {IS_SOUND} ORDER BY id"
        );
        self.files_of_days(tenant, days, &sql)
    }

    fn files_of_days(
        &self,
        tenant: &TenantSlug,
        days: &RangeInclusive<NaiveDate>,
        sql: &str,
    ) -> Result<Vec<DataFile>, StoreError> {
        let (start, end) = (start_micros(*days.start()), end_micros(*days.end()));
        self.read(|statements| {
            statements.query_all(sql, params![tenant.as_str(), start, end], data_file)
        })
        .map_err(failed(|| format!("read the files of {tenant}")))
    }

    /// The earliest time of a record in the live files of a tenant, in microseconds since 1970.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn earliest_record(&self, tenant: &TenantSlug) -> Result<Option<i64>, StoreError> {
        self.read(|statements| {
            statements.query_one(
                "SELECT min(min_time) FROM data_file WHERE tenant = ?1 AND retired_at IS NULL",
                params![tenant.as_str()],
                |row| row.get(0),
            )
        })
        .map_err(failed(|| format!("read the earliest time of {tenant}")))
    }

    /// Replaces live files by others with the same records, in one durable step.
    ///
    /// # Errors
    ///
    /// When a file that is to be retired is not live any more, or the new files have more or fewer
    /// rows: nothing has changed then. [`StoreErrorKind`](visibility_core::store::StoreErrorKind) says
    /// what is certain when the database fails.
    pub fn replace(
        &self,
        tenant: &TenantSlug,
        retire: &[i64],
        add: &[NewFile],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.write_as(Transaction::of_tenant(tenant), |statements| {
            let mut old_rows = 0_u64;
            let mut newest_batch = None;
            for id in retire {
                outbox::announce(statements, Changed::Id(*id), FileChange::Replaced)?;
                let (rows, newest) =
                    retire_live(statements, tenant, *id, now)?.ok_or_else(|| {
                        SqlError::unchanged(format!("file {id} is not live any more"))
                    })?;
                old_rows += rows;
                newest_batch = newest_batch.max(Some(newest));
            }
            let new_rows: u64 = add.iter().map(|file| file.rows).sum();
            if old_rows != new_rows {
                return Err(SqlError::unchanged(format!(
                    "the files have {old_rows} rows, those that replace them {new_rows}"
                )));
            }
            add.iter().try_for_each(|file| {
                insert(statements, tenant, file, (now, newest_batch))?;
                outbox::announce(statements, Changed::Name(&file.name), FileChange::Replacement)
            })
        })
        .map_err(failed(|| format!("replace files of {tenant}")))
    }

    /// The name of the file that was published last, in a batch or by compaction.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub(crate) fn newest_file(&self) -> Result<Option<String>, StoreError> {
        self.read(|statements| {
            statements.query_opt(
                "SELECT name FROM data_file ORDER BY id DESC LIMIT 1",
                &[],
                |row| row.get(0),
            )
        })
        .map_err(failed(|| "look for the newest file".to_owned()))
    }

    /// Files that were retired at a time or before it and that no event names; their objects may be removed.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn retired_files(&self, until: DateTime<Utc>) -> Result<Vec<RetiredFile>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT id, name, partial FROM data_file WHERE retired_at <= ?1
                     AND NOT EXISTS (SELECT 1 FROM file_event WHERE file_id = id)
                 ORDER BY id",
                params![until.timestamp_micros()],
                |row| Ok(RetiredFile { id: row.get(0)?, name: row.get(1)?, partial: row.get(2)? }),
            )
        })
        .map_err(failed(|| "read the retired files".to_owned()))
    }

    /// Strikes retired files whose objects are removed. Live ones stay.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn delete_retired_files(&self, ids: &[i64]) -> Result<(), StoreError> {
        let rows: Vec<_> = ids.iter().map(|id| vec![Value::Int(*id)]).collect();
        self.write(|statements| {
            statements.execute_each(
                "DELETE FROM data_file WHERE id = ?1 AND retired_at IS NOT NULL",
                &rows,
            )
        })
        .map(|_rows| ())
        .map_err(failed(|| "strike retired files".to_owned()))
    }
}

/// Adds a file. If it is not the file of one batch, its youngest batch arrived at the second time.
pub(super) fn insert(
    statements: &dyn Statements,
    tenant: &TenantSlug,
    file: &NewFile,
    (now, newest_batch): (DateTime<Utc>, Option<i64>),
) -> Result<(), SqlError> {
    statements.execute(
        "INSERT INTO data_file
         (tenant, name, partial, rows, bytes, min_time, max_time, day, created_at, digest,
          partial_digest, newest_batch)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            tenant.as_str(),
            file.name,
            file.partial,
            file.rows,
            file.bytes,
            file.min_timestamp_micros,
            file.max_timestamp_micros,
            file.day.map(|day| day.to_epoch_days()),
            now.timestamp_micros(),
            file.digest,
            file.partial_digest,
            newest_batch.unwrap_or_else(|| now.timestamp_micros()),
        ],
    )?;
    Ok(())
}

/// Retires a file if it is live, and says its rows and when its youngest batch arrived.
fn retire_live(
    statements: &dyn Statements,
    tenant: &TenantSlug,
    id: i64,
    now: DateTime<Utc>,
) -> Result<Option<(u64, i64)>, SqlError> {
    statements.query_opt(
        "UPDATE data_file SET retired_at = ?3
         WHERE id = ?1 AND tenant = ?2 AND retired_at IS NULL
         RETURNING rows, coalesce(newest_batch, created_at)",
        params![id, tenant.as_str(), now.timestamp_micros()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// A row of [`COLUMNS`].
pub(super) fn data_file(row: Row<'_>) -> Result<DataFile, SqlError> {
    Ok(DataFile {
        id: row.get(0)?,
        created_at: time(row, 1)?,
        file: NewFile {
            name: row.get(2)?,
            partial: row.get(3)?,
            rows: row.get(4)?,
            bytes: row.get(5)?,
            min_timestamp_micros: row.get(6)?,
            max_timestamp_micros: row.get(7)?,
            day: row.get::<Option<i32>>(8)?.map(|_| day(row, 8)).transpose()?,
            digest: row.get(9)?,
            partial_digest: row.get(10)?,
        },
        is_partial_damaged: row.get::<u64>(11)? > 0,
    })
}

/// The first microsecond of a day.
pub(super) fn start_micros(day: NaiveDate) -> i64 {
    i64::from(day.to_epoch_days()).saturating_mul(MICROS_OF_A_DAY)
}

/// The first microsecond after a day.
fn end_micros(day: NaiveDate) -> i64 {
    start_micros(day).saturating_add(MICROS_OF_A_DAY)
}

pub(super) const MICROS_OF_A_DAY: i64 = TimeDelta::days(1).num_seconds() * 1_000_000;
