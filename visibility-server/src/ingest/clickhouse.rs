//! A copy of the records in ClickHouse, made from the [outbox](crate::stores::state::outbox).
//!
//! The object of a published file is the body of an `INSERT`, so ClickHouse needs no way to the objects. Files that
//! replace others have the same records and are left out. Each row has the name of the file from which it came: where
//! it is in doubt whether a file was inserted, because a process or a connection broke off, its rows are counted.

mod client;
mod table;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use uuid::Uuid;
use visibility_core::accounts::tenant::TenantSlug;
use visibility_core::store::StoreError;

use self::client::ClickHouseClient;
use self::table::LogsTable;
use crate::ingest::rounds::{FailureLog, Lease, Rounds};
use crate::ingest::sound;
use crate::runtime::clock;
use crate::settings::ClickHouseSettings;
use crate::stores::Stores;
use crate::stores::state::manifest::DataFile;
use crate::stores::state::outbox::{Consumer, ConsumerProgress, FileChange, FileEvent};

/// The name of the lease under which records are copied.
const LEASE: &str = "clickhouse";
/// The time between two looks for new files.
const PAUSE: Duration = Duration::from_secs(10);
/// The same without an address.
const PAUSE_WHEN_OFF: Duration = Duration::from_hours(1);
/// Events that are read at a time.
const MOST_EVENTS: usize = 100;
/// What the store notes of the table.
const STATE: &str = "clickhouse";

/// The copy of all tenants' records.
#[derive(Clone, Debug)]
pub struct ClickHouse {
    stores: Arc<Stores>,
    settings: ClickHouseSettings,
    stop: watch::Receiver<bool>,
    lease: Lease,
    /// Tenants of which every file was inserted that the outbox does not name.
    certain: BTreeSet<TenantSlug>,
    failures: FailureLog,
}

/// The table that was filled last. Another one has another id, and is filled from the beginning.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct FilledTable {
    id: String,
}

impl ClickHouse {
    /// The copy in the table that some settings name; none without an address.
    pub fn new(
        stores: Arc<Stores>,
        settings: ClickHouseSettings,
        stop: watch::Receiver<bool>,
    ) -> Self {
        let lease = Lease::new(LEASE, TimeDelta::zero());
        Self {
            stores,
            settings,
            stop,
            lease,
            certain: BTreeSet::new(),
            failures: FailureLog::new("ClickHouse"),
        }
    }

    /// Copies what is new. What fails is logged and tried again in the next round. Blocks.
    pub fn round(&mut self, now: DateTime<Utc>) {
        let outcome = match &self.settings.url {
            Some(url) => {
                let url = url.clone();
                self.copy(&url, now)
            }
            None => self.end(),
        };
        self.failures.note(outcome);
    }

    /// Without an address nothing waits to be copied.
    fn end(&self) -> Result<(), StoreError> {
        let state_store = self.stores.state_store();
        if !state_store.consumed_tenants(Consumer::ClickHouse)?.is_empty()
            && self.lease.is_held(&self.stores)
        {
            state_store.end(Consumer::ClickHouse)?;
        }
        Ok(())
    }

    fn copy(&mut self, url: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
        if !self.is_to_go_on() {
            return Ok(());
        }
        let state_store = self.stores.state_store();
        let client = ClickHouseClient::new(url, &self.settings)?;
        let LogsTable { id, is_new } = table::prepare(&client)?;
        let table = FilledTable { id };
        let is_filled = !is_new && state_store.value(STATE)?.as_ref() == Some(&table);
        if !is_filled {
            for tenant in state_store.consumed_tenants(Consumer::ClickHouse)? {
                self.begin(&client, &tenant)?;
            }
            state_store.set_value(STATE, &table)?;
        }
        let mut failure = None;
        for tenant in &state_store.tenants_to_consume(Consumer::ClickHouse)? {
            if !self.is_to_go_on() {
                break;
            }
            if let Err(error) = self.copy_tenant(&client, tenant, now) {
                self.certain.remove(tenant);
                failure = failure.or(Some(error));
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Whether this node is the one to go on. Another one may have inserted anything meanwhile if not.
    fn is_to_go_on(&mut self) -> bool {
        let is_held = !*self.stop.borrow() && self.lease.is_held(&self.stores);
        if !is_held {
            self.certain.clear();
        }
        is_held
    }

    /// Makes all live files of a tenant new, in a table without its records.
    fn begin(
        &self,
        client: &ClickHouseClient,
        tenant: &TenantSlug,
    ) -> Result<ConsumerProgress, StoreError> {
        table::remove_tenant(client, tenant)?;
        self.stores.state_store().begin(Consumer::ClickHouse, tenant)
    }

    fn copy_tenant(
        &mut self,
        client: &ClickHouseClient,
        tenant: &TenantSlug,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let state_store = Arc::clone(&self.stores);
        let state_store = state_store.state_store();
        let progress = match state_store.progress(Consumer::ClickHouse, tenant)? {
            Some(progress) => progress,
            None => self.begin(client, tenant)?,
        };
        loop {
            let events = state_store.events(Consumer::ClickHouse, tenant, MOST_EVENTS)?;
            if events.is_empty() {
                self.certain.insert(tenant.clone());
                return Ok(());
            }
            // An insert is struck by itself; what changes nothing is struck together.
            for group in events.chunk_by(|one, other| !is_insert(one) && !is_insert(other)) {
                if !self.is_to_go_on() {
                    return Ok(());
                }
                self.take(client, tenant, (progress, group))?;
                let consumer = (Consumer::ClickHouse, tenant);
                if !state_store.advance(consumer, (progress, None), group, now)? {
                    self.certain.remove(tenant);
                    return Ok(());
                }
            }
        }
    }

    /// Makes the table what it is after some events: one that inserts, or some that do not.
    fn take(
        &mut self,
        client: &ClickHouseClient,
        tenant: &TenantSlug,
        (progress, events): (ConsumerProgress, &[FileEvent]),
    ) -> Result<(), StoreError> {
        if let [event] = events
            && is_insert(event)
        {
            let file = &event.file;
            if self.certain.contains(tenant) {
                self.insert(client, tenant, file, &token_of(progress.id, event))?;
            } else {
                self.insert_if_missing(client, tenant, (progress, event))?;
                self.certain.insert(tenant.clone());
            }
            return Ok(());
        }
        let forgotten = events.iter().filter(|event| event.change == FileChange::Forgotten);
        let latest = forgotten.map(|event| event.file.file.max_timestamp_micros).max();
        let Some(latest) = latest else { return Ok(()) };
        // A file of several days is kept for its last one, with the records of all of them.
        let kept = self.stores.state_store().earliest_record(tenant)?;
        let end = latest.saturating_add(1);
        table::remove_before(client, tenant, kept.map_or(end, |kept| kept.min(end)))
    }

    /// Inserts a file of which it is in doubt whether it is in the table, or a part of it.
    fn insert_if_missing(
        &self,
        client: &ClickHouseClient,
        tenant: &TenantSlug,
        (progress, event): (ConsumerProgress, &FileEvent),
    ) -> Result<(), StoreError> {
        let file = &event.file;
        let mut rows = table::rows_of(client, tenant, file)?;
        if rows < file.file.rows {
            // A part that is there has the same token, by which a table that can leaves it out.
            self.insert(client, tenant, file, &token_of(progress.id, event))?;
            rows = table::rows_of(client, tenant, file)?;
        }
        if rows != file.file.rows {
            table::remove_file(client, tenant, file)?;
            self.insert(client, tenant, file, &Uuid::new_v4().to_string())?;
            rows = table::rows_of(client, tenant, file)?;
        }
        if rows == file.file.rows {
            return Ok(());
        }
        Err(StoreError::unchanged(
            format!("copy {} to ClickHouse", file.file.name),
            format!("it has {} rows, and the table {rows} of them", file.file.rows),
        ))
    }

    /// Sends a file, unless its records are damaged. A second insert with the same token is none.
    fn insert(
        &self,
        client: &ClickHouseClient,
        tenant: &TenantSlug,
        file: &DataFile,
        token: &str,
    ) -> Result<(), StoreError> {
        let known = file.known_records(tenant);
        let Some(object) = sound::open(&self.stores, &known, clock::now())? else {
            return Err(StoreError::unchanged(
                format!("copy {} to ClickHouse", file.file.name),
                "it is damaged; the next round leaves it out",
            ));
        };
        let go_on = || !*self.stop.borrow() && self.lease.is_held(&self.stores);
        let insert = table::Insert { tenant, file, token };
        insert.run(client, object, &go_on)
    }
}

impl Rounds for ClickHouse {
    fn pause(&self) -> Duration {
        if self.settings.url.is_some() { PAUSE } else { PAUSE_WHEN_OFF }
    }

    fn work(&mut self, now: DateTime<Utc>) {
        self.round(now);
    }
}

/// Whether the records of the file are not in the table yet.
fn is_insert(event: &FileEvent) -> bool {
    event.change == FileChange::Published
}

fn token_of(begun: Uuid, event: &FileEvent) -> String {
    format!("{begun}/{}", event.file.file.name)
}
