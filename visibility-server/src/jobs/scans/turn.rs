//! The turn of a node to scan a domain: of all nodes with one database, one scans it at a time.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};
use visibility_core::fetch::domain::Domain;

use super::results::ScanCache;
use crate::http::response::ApiError;
use crate::jobs::cache::CachedResult;
use crate::jobs::lease::{self, NodeLease};
use crate::stores::Stores;

/// How long a turn lasts whose node has ended: longer than any scan.
const SPAN: TimeDelta = TimeDelta::seconds(45);
/// How often a node looks whether another one is done.
const PAUSE: Duration = Duration::from_millis(250);

/// The turn to scan a domain, which ends when it is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct ScanTurn {
    /// None if there are no other nodes.
    _lease: Option<NodeLease>,
}

/// What became of a wish to scan a domain.
#[derive(Debug)]
pub(super) enum Turn {
    /// This node scans it.
    Own(ScanTurn),
    /// Another one has scanned it meanwhile.
    Done(CachedResult),
    /// Another one is still scanning it.
    Busy,
}

/// Waits for the turn to scan a domain, or for the result of another node.
pub(super) async fn wait(
    stores: &Arc<Stores>,
    results: &Arc<ScanCache>,
    domain: &Domain,
    patience: Duration,
) -> Turn {
    let Some(node) = stores.node() else {
        return Turn::Own(ScanTurn { _lease: None });
    };
    let (name, holder) = (name_of(domain), node.holder());
    let deadline = Instant::now() + patience;
    let mut has_waited = false;
    loop {
        let (stores, results) = (Arc::clone(stores), Arc::clone(results));
        let (name, holder, domain) = (name.clone(), holder.clone(), domain.clone());
        let look =
            spawn_blocking(move || look(&stores, &results, &domain, (name, holder), has_waited));
        match look.await {
            Ok(Some(turn)) => return turn,
            Ok(None) if Instant::now() < deadline => {}
            Ok(None) | Err(_) => return Turn::Busy,
        }
        has_waited = true;
        sleep(PAUSE).await;
    }
}

/// Whether a node scans a domain at the moment.
///
/// # Errors
///
/// When the database fails.
pub(super) async fn is_taken(stores: &Arc<Stores>, domain: &Domain) -> Result<bool, ApiError> {
    lease::is_held(stores, name_of(domain)).await
}

/// What a node holds that scans a domain.
fn name_of(domain: &Domain) -> String {
    format!("scan/{domain}")
}

/// Takes the turn if no other node has it. The result is looked for then, as the other one may just be done.
fn look(
    stores: &Arc<Stores>,
    results: &ScanCache,
    domain: &Domain,
    (name, holder): (String, String),
    has_waited: bool,
) -> Option<Turn> {
    let lease = NodeLease::acquire(stores, name, holder, SPAN)?;
    let turn = ScanTurn { _lease: Some(lease) };
    let done = if has_waited { results.all_languages_in_database(domain.as_str()) } else { None };
    Some(done.map_or(Turn::Own(turn), Turn::Done))
}
