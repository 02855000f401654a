//! This process as one of the nodes that serve from the same stores: it is seen in the database, makes sure that all
//! nodes see the same folder of objects, and knows how far its clock is off.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use visibility_core::store::StoreError;

use super::objects::{ObjectFiles, node_mark};
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
    /// Whether there may be others.
    is_alone: bool,
    /// Whether it has said that it serves no more. Locked while others are shown that it does: no sign of life comes after
    /// the goodbye.
    has_left: Mutex<bool>,
    latest: Mutex<NodeHealth>,
    last_look: Mutex<Option<Look>>,
}

/// What a node has found at the marks of others.
#[derive(Clone, Debug)]
struct Look {
    at: Instant,
    others: Vec<ServingNode>,
    faults: Vec<String>,
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
    pub(super) fn open(data_dir: &Path, is_alone: bool) -> io::Result<Self> {
        let path = data_dir.join(ID);
        let known = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
        let id = known.unwrap_or_else(Uuid::now_v7);
        if known.is_none() {
            private_file(&path)?.write_all(id.to_string().as_bytes())?;
        }
        let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Ok(Self {
            own: ServingNode { id, name },
            is_alone,
            has_left: Mutex::default(),
            latest: Mutex::default(),
            last_look: Mutex::default(),
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
        objects: &dyn ObjectFiles,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let has_left = self.has_left.lock().unwrap_or_else(PoisonError::into_inner);
        if *has_left {
            return Ok(());
        }
        let last = self.last_look().clone();
        // What was found wrong is looked at again at once, so that the node serves as soon as it can.
        let is_due = last.as_ref().is_none_or(|last| {
            !last.faults.is_empty() || last.at.elapsed() >= objects.look_every()
        });
        let leave_mark = || {
            if self.is_alone || !is_due {
                return Ok(());
            }
            objects.replace_mark(&node_mark(self.own.id), self.own.name.as_bytes())
        };
        // Others look for the mark once they see the node. A node that they know serves also while the objects are away.
        let others = if last.is_none() {
            leave_mark()?;
            state_store.see_node(&self.own)?
        } else {
            let others = state_store.see_node(&self.own)?;
            leave_mark()?;
            others
        };
        drop(has_left);
        let faults = match last {
            Some(last) if !is_due && last.others == others => last.faults,
            _ => {
                let faults: Vec<String> =
                    others.iter().filter_map(|other| self.fault_of(other, objects)).collect();
                let look = Look { at: Instant::now(), others, faults: faults.clone() };
                *self.last_look() = Some(look);
                faults
            }
        };
        let ahead = state_store.shared_time()?.map_or_else(TimeDelta::zero, |time| now - time);
        let health = NodeHealth {
            faults,
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
    pub(super) fn leave(&self, state_store: &StateStore, objects: &dyn ObjectFiles) {
        let mut has_left = self.has_left.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut *has_left, true) {
            return;
        }
        if !self.is_alone {
            // One that stays is removed once it is a day old.
            let _ = objects.remove_mark(&node_mark(self.own.id));
        }
        if let Err(error) = state_store.forget_node(self.own.id) {
            // It counts as serving for half a minute.
            tracing::warn!(error = &error as &dyn std::error::Error, "cannot say goodbye");
        }
    }

    fn fault_of(&self, other: &ServingNode, objects: &dyn ObjectFiles) -> Option<String> {
        let ServingNode { id, name } = other;
        if self.is_alone {
            return Some(format!(
                "another node ({name}) serves from the same database, but `node.alone` is set"
            ));
        }
        let mark = node_mark(*id);
        match objects.mark(&mark) {
            Ok(Some(text)) if text == name.as_bytes() => None,
            Err(error) => {
                let cause = error.source.as_ref().map(ToString::to_string).unwrap_or_default();
                Some(format!("{error}: {cause}"))
            }
            _ => Some(format!(
                "the node {name} does not write to the same objects as this one: {mark} does not exist in {objects}",
            )),
        }
    }

    fn last_look(&self) -> MutexGuard<'_, Option<Look>> {
        self.last_look.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn latest(&self) -> MutexGuard<'_, NodeHealth> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::objects::FolderObjects;
    use super::super::state::testing::TestStore;
    use super::*;

    #[test]
    fn a_node_serves_also_while_its_objects_are_away() {
        let (data_dir, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = shared.path().join("objects");
        let objects = FolderObjects::open(&root).unwrap();
        let store = TestStore::new();
        let node = Node::open(data_dir.path(), false).unwrap();
        let beat = || node.beat(&store, &objects, Utc::now());
        beat().unwrap();
        fs::remove_dir_all(&root).unwrap();
        store.execute("UPDATE node SET seen_at = seen_at - 31000000", &[]);
        assert_eq!(store.serving_nodes().unwrap(), []);
        beat().unwrap_err();
        assert_eq!(store.serving_nodes().unwrap(), std::slice::from_ref(&node.own));
    }

    #[test]
    fn a_node_without_its_objects_does_not_begin_to_serve() {
        let (data_dir, shared) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let root = shared.path().join("objects");
        let objects = FolderObjects::open(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        let store = TestStore::new();
        let node = Node::open(data_dir.path(), false).unwrap();
        node.beat(&store, &objects, Utc::now()).unwrap_err();
        assert_eq!(store.serving_nodes().unwrap(), []);
    }
}
