//! This process as one of the nodes that serve from the same stores: it is seen in the database, makes sure that all
//! nodes see the same folder of objects, and knows how far its clock is off.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use visibility_core::store::StoreError;

use super::local::PROBE;
use super::private_file;
use super::state::StateStore;
use super::state::nodes::ServingNode;

/// The file with the id of the node of a data directory.
const ID: &str = "node-id";
/// How often a node shows that it serves.
pub(crate) const BEAT: Duration = Duration::from_secs(5);
/// How far the clock of a node may differ from that of the database without a word.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::seconds(5);

/// This process, among the nodes of a database that several may share.
#[derive(Debug)]
pub(crate) struct Node {
    own: ServingNode,
    /// The folder of the objects.
    objects: PathBuf,
    /// Whether there may be others.
    is_alone: bool,
    /// Whether it has said that it serves no more. Locked while others are shown that it does: no sign of life comes after
    /// the goodbye.
    has_left: Mutex<bool>,
    latest: Mutex<NodeHealth>,
}

/// What a node has found.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct NodeHealth {
    /// Why it must not serve.
    pub(crate) faults: Vec<String>,
    /// How far its clock is ahead of that of the database, if that is far.
    pub(crate) clock_ahead: Option<TimeDelta>,
}

impl Node {
    /// The node of a data directory: the same one after each start, so that one that was killed is not another one
    /// that still serves.
    ///
    /// # Errors
    ///
    /// When the file with its id cannot be read or written.
    pub(super) fn open(data_dir: &Path, objects: &Path, is_alone: bool) -> io::Result<Self> {
        let path = data_dir.join(ID);
        let known = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
        let id = known.unwrap_or_else(Uuid::now_v7);
        if known.is_none() {
            private_file(&path)?.write_all(id.to_string().as_bytes())?;
        }
        let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Ok(Self {
            own: ServingNode { id, name },
            objects: objects.to_owned(),
            is_alone,
            has_left: Mutex::default(),
            latest: Mutex::default(),
        })
    }

    /// What its leases are held by.
    pub(crate) fn holder(&self) -> String {
        self.own.id.to_string()
    }

    /// What it has found last.
    pub(crate) fn health(&self) -> NodeHealth {
        self.latest().clone()
    }

    /// Shows that it serves, and looks at the others and at its clock. Blocks.
    ///
    /// # Errors
    ///
    /// When the database fails, or the folder of the objects cannot be written.
    pub(super) fn beat(
        &self,
        state_store: &StateStore,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let has_left = self.has_left.lock().unwrap_or_else(PoisonError::into_inner);
        if *has_left {
            return Ok(());
        }
        // Before others hear of it.
        if !self.is_alone {
            let probe = self.probe(self.own.id);
            self.write_probe(&probe)
                .map_err(|error| StoreError::io(format!("write {}", probe.display()), error))?;
        }
        let others = state_store.see_node(&self.own)?;
        drop(has_left);
        let ahead = state_store.shared_time()?.map_or_else(TimeDelta::zero, |time| now - time);
        let health = NodeHealth {
            faults: others.iter().filter_map(|other| self.fault_of(other)).collect(),
            clock_ahead: Some(ahead).filter(|ahead| ahead.abs() > CLOCK_TOLERANCE),
        };
        let mut latest = self.latest();
        if health.faults != latest.faults {
            for fault in &health.faults {
                tracing::error!(fault, "this node does not serve");
            }
            if health.faults.is_empty() {
                tracing::info!("this node serves again");
            }
        }
        if health.clock_ahead.is_some() != latest.clock_ahead.is_some() {
            if let Some(ahead) = health.clock_ahead {
                tracing::warn!(
                    seconds_ahead = ahead.num_seconds(),
                    "the clock of this node differs from that of the database"
                );
            } else {
                tracing::info!("the clock of this node agrees with the database again");
            }
        }
        *latest = health;
        Ok(())
    }

    /// Says that it serves no more, once. Blocks.
    pub(super) fn leave(&self, state_store: &StateStore) {
        let mut has_left = self.has_left.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *has_left, true) {
            return;
        }
        let _ = fs::remove_file(self.probe(self.own.id));
        if let Err(error) = state_store.forget_node(self.own.id) {
            // It counts as serving for half a minute.
            tracing::warn!(error = &error as &dyn std::error::Error, "cannot say goodbye");
        }
    }

    fn fault_of(&self, other: &ServingNode) -> Option<String> {
        let ServingNode { id, name } = other;
        if self.is_alone {
            return Some(format!(
                "another node ({name}) serves from the same database, but `node.alone` is set"
            ));
        }
        match fs::read(self.probe(*id)) {
            Ok(text) if text == name.as_bytes() => None,
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Some(format!("cannot read the folder of the objects: {error}"))
            }
            _ => Some(format!(
                "the node {name} does not write to the same folder of objects as this one: \
                    {} does not exist",
                self.probe(*id).display()
            )),
        }
    }

    /// Others see the whole file or none.
    fn write_probe(&self, probe: &Path) -> io::Result<()> {
        let unfinished = probe.with_added_extension("#1");
        fs::write(&unfinished, self.own.name.as_bytes())?;
        fs::rename(&unfinished, probe)
    }

    fn probe(&self, id: Uuid) -> PathBuf {
        self.objects.join(format!("{PROBE}{id}"))
    }

    fn latest(&self) -> MutexGuard<'_, NodeHealth> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
