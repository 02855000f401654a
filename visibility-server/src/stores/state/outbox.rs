//! The outbox: changes of files, until all that take them elsewhere have taken them.
//!
//! A transaction that publishes, replaces or forgets files writes one event for each of them and each consumer of the
//! tenant. A consumer takes events in their order and strikes them afterwards, so that a crash in between makes it take
//! some of them twice, and skips none. The objects of a file stay until no event names it.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use super::StateStore;
use super::column::{parsed, slug};
use super::manifest::{COLUMNS, COLUMNS_COUNT, DataFile, IS_SOUND, data_file};
use crate::stores::database::{SqlError, Statements, Transaction, Value, failed, params};

/// What takes the files of tenants elsewhere.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Consumer {
    /// The Delta log beside the objects.
    Delta,
    /// A table of ClickHouse.
    ClickHouse,
}

impl Consumer {
    pub(crate) const ALL: [Self; 2] = [Self::Delta, Self::ClickHouse];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Delta => "delta",
            Self::ClickHouse => "clickhouse",
        }
    }
}

/// What became of a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum FileChange {
    /// It has the records of a batch.
    Published,
    /// It has the records of files that it replaces.
    Replacement,
    /// Others have its records.
    Replaced,
    /// Its records are too old to be kept.
    Forgotten,
    /// Its records are damaged.
    Damaged,
    /// A good copy is in the place of its damaged records.
    Restored,
}

impl FileChange {
    const ALL: [Self; 6] = [
        Self::Published,
        Self::Replacement,
        Self::Replaced,
        Self::Forgotten,
        Self::Damaged,
        Self::Restored,
    ];

    pub(super) fn number(self) -> i64 {
        match self {
            Self::Published => 0,
            Self::Replacement => 1,
            Self::Replaced => 2,
            Self::Forgotten => 3,
            Self::Damaged => 4,
            Self::Restored => 5,
        }
    }

    /// Whether readers see the file since then, and not until then.
    pub(crate) fn is_addition(self) -> bool {
        matches!(self, Self::Published | Self::Replacement | Self::Restored)
    }
}

/// A change that a consumer has not taken yet.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FileEvent {
    /// Its number, higher than that of all events of the tenant before it.
    pub seq: i64,
    /// What became of the file.
    pub change: FileChange,
    /// The file.
    pub file: DataFile,
}

/// How far a consumer is with a tenant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ConsumerProgress {
    /// The id of this beginning.
    pub id: Uuid,
    /// The last version of the log that it writes, if it has written one.
    pub version: Option<u64>,
}

/// The numbers of the changes that are additions.
pub(super) const ADDITIONS: &str = "(0, 1, 5)";

/// The version of a consumer that has written none, where a column cannot be compared with nothing.
const NO_VERSION: i64 = -1;

impl StateStore {
    /// The tenants of a consumer, in the order of their slugs.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn consumed_tenants(&self, consumer: Consumer) -> Result<Vec<TenantSlug>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT tenant FROM consumer WHERE name = ?1 ORDER BY tenant",
                params![consumer.name()],
                |row| slug(row, 0),
            )
        })
        .map_err(failed(|| format!("read the tenants of {}", consumer.name())))
    }

    /// The tenants that a consumer has not begun with, or that have events for it, in the order of their slugs.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn tenants_to_consume(&self, consumer: Consumer) -> Result<Vec<TenantSlug>, StoreError> {
        self.read(|statements| {
            statements.query_all(
                "SELECT tenant FROM file_event WHERE consumer = ?1
                 UNION
                 SELECT slug FROM tenant
                 WHERE NOT EXISTS (SELECT 1 FROM consumer WHERE name = ?1 AND tenant = slug)
                 ORDER BY tenant",
                params![consumer.name()],
                |row| slug(row, 0),
            )
        })
        .map_err(failed(|| format!("read the tenants with events for {}", consumer.name())))
    }

    /// How far a consumer is with a tenant; nothing if it has not begun.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn progress(
        &self,
        consumer: Consumer,
        tenant: &TenantSlug,
    ) -> Result<Option<ConsumerProgress>, StoreError> {
        self.read(|statements| {
            statements.query_opt(
                "SELECT id, version FROM consumer WHERE name = ?1 AND tenant = ?2",
                params![consumer.name(), tenant.as_str()],
                |row| Ok(ConsumerProgress { id: parsed(row, 0)?, version: row.get(1)? }),
            )
        })
        .map_err(failed(|| format!("read how far {} is with {tenant}", consumer.name())))
    }

    /// Makes a consumer begin with a tenant, once more if it has before: all live files are new to it.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn begin(
        &self,
        consumer: Consumer,
        tenant: &TenantSlug,
    ) -> Result<ConsumerProgress, StoreError> {
        let id = Uuid::new_v4();
        let id_text = id.to_string();
        self.write_as(Transaction::of_tenant(tenant), |statements| {
            let of_consumer = &[Value::Text(consumer.name()), Value::Text(tenant.as_str())];
            let sql = "DELETE FROM file_event WHERE consumer = ?1 AND tenant = ?2";
            statements.execute(sql, of_consumer)?;
            statements.execute(
                "INSERT INTO consumer (name, tenant, id) VALUES (?1, ?2, ?3)
                 ON CONFLICT (name, tenant) DO UPDATE SET id = excluded.id, version = NULL",
                params![consumer.name(), tenant.as_str(), id_text],
            )?;
            statements.execute(
                "INSERT INTO file_event (consumer, tenant, kind, file_id)
                 SELECT consumer.name, data_file.tenant, 0, data_file.id
                 FROM data_file JOIN consumer ON consumer.tenant = data_file.tenant
                 WHERE consumer.name = ?1 AND data_file.tenant = ?2
                     AND data_file.retired_at IS NULL
                 ORDER BY data_file.id",
                of_consumer,
            )
        })
        .map(|_rows| ConsumerProgress { id, version: None })
        .map_err(failed(|| format!("begin {} of {tenant}", consumer.name())))
    }

    /// Ends a consumer: it has no tenants and no events any more.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn end(&self, consumer: Consumer) -> Result<(), StoreError> {
        self.write_as(Transaction::of_all_tenants(), |statements| {
            let name = &[Value::Text(consumer.name())];
            statements.execute("DELETE FROM consumer WHERE name = ?1", name)?;
            statements.execute("DELETE FROM file_event WHERE consumer = ?1", name)
        })
        .map(|_rows| ())
        .map_err(failed(|| format!("end {}", consumer.name())))
    }

    /// The oldest events that a consumer has not taken, in their order. Those that add a file wait while its records are
    /// damaged.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn events(
        &self,
        consumer: Consumer,
        tenant: &TenantSlug,
        most: usize,
    ) -> Result<Vec<FileEvent>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, seq, kind FROM file_event JOIN data_file ON id = file_id
             WHERE consumer = ?1 AND file_event.tenant = ?2
                 AND (kind NOT IN {ADDITIONS} OR {IS_SOUND})
             ORDER BY seq LIMIT ?3"
        );
        self.read(|statements| {
            statements.query_all(&sql, params![consumer.name(), tenant.as_str(), most], |row| {
                let kind: i64 = row.get(COLUMNS_COUNT + 1)?;
                let change = FileChange::ALL.into_iter().find(|change| change.number() == kind);
                let change = change
                    .ok_or_else(|| SqlError::unchanged(format!("{kind} is no kind of event")))?;
                Ok(FileEvent { seq: row.get(COLUMNS_COUNT)?, change, file: data_file(row)? })
            })
        })
        .map_err(failed(|| format!("read the events of {tenant} for {}", consumer.name())))
    }

    /// Strikes events that a consumer has taken, and notes how far it is now. Says whether it did: not if the consumer
    /// is not where it was any more, because another node has gone on with it.
    ///
    /// What the events have taken away from readers counts as retired from now on, as readers of the consumer have seen
    /// it until now.
    ///
    /// # Errors
    ///
    /// When the database cannot be written.
    pub fn advance(
        &self,
        (consumer, tenant): (Consumer, &TenantSlug),
        (before, version): (ConsumerProgress, Option<u64>),
        taken: &[FileEvent],
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let events: Vec<_> = taken.iter().map(|event| vec![Value::Int(event.seq)]).collect();
        let retired: Vec<_> = taken
            .iter()
            .filter(|event| !event.change.is_addition())
            .map(|event| vec![Value::Int(event.file.id), Value::Int(now.timestamp_micros())])
            .collect();
        let from =
            before.version.map_or(NO_VERSION, |version| i64::try_from(version).unwrap_or(i64::MAX));
        let id = before.id.to_string();
        self.write_as(Transaction::of_tenant(tenant), |statements| {
            let moved = statements.execute(
                "UPDATE consumer SET version = ?3
                 WHERE name = ?1 AND tenant = ?2 AND id = ?4 AND coalesce(version, -1) = ?5",
                params![consumer.name(), tenant.as_str(), version, id, from],
            )?;
            if moved == 0 {
                return Ok(false);
            }
            statements.execute_each("DELETE FROM file_event WHERE seq = ?1", &events)?;
            statements.execute_each(
                "UPDATE data_file SET retired_at = ?2 WHERE id = ?1 AND retired_at IS NOT NULL",
                &retired,
            )?;
            Ok(true)
        })
        .map_err(failed(|| format!("note how far {} is with {tenant}", consumer.name())))
    }

    /// The files that the readers of a consumer see, in the order of their publication.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn consumed_files(
        &self,
        consumer: Consumer,
        tenant: &TenantSlug,
    ) -> Result<Vec<DataFile>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM data_file WHERE tenant = ?2
                 AND NOT EXISTS (SELECT 1 FROM file_event
                     WHERE file_id = id AND consumer = ?1 AND kind IN {ADDITIONS})
                 AND (retired_at IS NULL AND {IS_SOUND} OR EXISTS (SELECT 1 FROM file_event
                     WHERE file_id = id AND consumer = ?1 AND kind NOT IN {ADDITIONS}))
             ORDER BY id"
        );
        self.snapshot(|statements| {
            statements.query_all(&sql, params![consumer.name(), tenant.as_str()], data_file)
        })
        .map_err(failed(|| format!("read the files of {tenant} for {}", consumer.name())))
    }

    /// How many events a consumer has not taken.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub fn waiting_events(&self, consumer: Consumer) -> Result<u64, StoreError> {
        self.read(|statements| {
            let sql = "SELECT count(*) FROM file_event WHERE consumer = ?1";
            statements.query_one(sql, params![consumer.name()], |row| row.get(0))
        })
        .map_err(failed(|| format!("count the events for {}", consumer.name())))
    }
}

/// The file that an event is about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Changed<'a> {
    Name(&'a str),
    Id(i64),
}

/// What an event about a file has for each consumer of its tenant.
pub(super) const OF_EACH_CONSUMER: &str = "data_file.id
     FROM data_file JOIN consumer ON consumer.tenant = data_file.tenant";

/// Writes an event about a file for each consumer of its tenant.
pub(super) fn announce(
    statements: &dyn Statements,
    changed: Changed<'_>,
    change: FileChange,
) -> Result<(), SqlError> {
    announce_where(statements, (changed, change), None)
}

/// Writes an event about a file for one consumer, if it has begun with the tenant of the file.
pub(super) fn announce_to(
    statements: &dyn Statements,
    consumer: Consumer,
    changed: Changed<'_>,
    change: FileChange,
) -> Result<(), SqlError> {
    announce_where(statements, (changed, change), Some(consumer))
}

fn announce_where(
    statements: &dyn Statements,
    (changed, change): (Changed<'_>, FileChange),
    only: Option<Consumer>,
) -> Result<(), SqlError> {
    let (sql, file) = match changed {
        Changed::Name(name) => (
            format!(
                "INSERT INTO file_event (consumer, tenant, kind, file_id)
                 SELECT consumer.name, data_file.tenant, CAST(?2 AS BIGINT), {OF_EACH_CONSUMER}
                 WHERE data_file.name = ?1 AND (CAST(?3 AS TEXT) IS NULL OR consumer.name = ?3)"
            ),
            Value::Text(name),
        ),
        Changed::Id(id) => (
            format!(
                "INSERT INTO file_event (consumer, tenant, kind, file_id)
                 SELECT consumer.name, data_file.tenant, CAST(?2 AS BIGINT), {OF_EACH_CONSUMER}
                 WHERE data_file.id = ?1 AND (CAST(?3 AS TEXT) IS NULL OR consumer.name = ?3)"
            ),
            Value::Int(id),
        ),
    };
    let only = only.map_or(Value::Null, |only| Value::Text(only.name()));
    statements.execute(&sql, &[file, Value::Int(change.number()), only])?;
    Ok(())
}
