//! What happens to nodes and their database besides the death of a node.

use std::fmt;
use std::time::{Duration, Instant};

use visibility_tests::bucket;
use visibility_tests::database::OwnServer;
use visibility_tests::random::Random;
use visibility_tests::wait::PATIENCE;

use crate::crash::link::{Link, State};
use crate::crash::service::Place;
use crate::crash::store::{StoreProxy, Weather};
use crate::crash::{Running, client, number};

/// Commits of each node that are cut at a time.
const COMMITS_TO_CUT: usize = 3;
/// Seconds without the database, or without a processor. Longer than a node waits until it notices.
const SHORT: Duration = Duration::from_secs(3);

/// The kinds of trouble, in turn.
const KINDS: [Kind; 5] = [
    Kind::CommitsAreCut,
    Kind::DatabaseCrashes,
    Kind::CutOff(State::Refuses),
    Kind::Frozen,
    Kind::CutOff(State::Swallows),
];

/// Those of a bucket.
const KINDS_OF_BUCKET: [Kind; 6] = [
    Kind::Store(Weather::Fails),
    Kind::StoreAway(State::Refuses),
    Kind::Store(Weather::UploadsBreak),
    Kind::Store(Weather::Slow),
    Kind::StoreAway(State::Swallows),
    Kind::Store(Weather::ListsLate),
];

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// Connections of all nodes are closed within COMMIT.
    CommitsAreCut,
    /// The database loses its processes and starts again.
    DatabaseCrashes,
    /// One node cannot reach the database, in one way or another.
    CutOff(State),
    /// No node can reach the bucket, in one way or another.
    StoreAway(State),
    /// The store of the bucket has a bad day.
    Store(Weather),
    /// One node gets no time of a processor, wherever it is.
    Frozen,
}

/// The database of some nodes, and their ways to it.
#[derive(Debug)]
pub(crate) struct Troubles {
    server: OwnServer,
    links: Vec<Link>,
    store: Option<Store>,
    kinds: Vec<Kind>,
    happened: usize,
}

/// The way to a bucket.
#[derive(Debug)]
struct Store {
    link: Link,
    proxy: StoreProxy,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Trouble {
    kind: Kind,
    node: usize,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The node is to serve first.
    Ahead,
    /// It lasts until then. Whether `/readyz` has shown it.
    Lasts {
        until: Instant,
        was_seen: bool,
    },
    /// It has ended, and the node is to serve again before then.
    Recovers {
        before: Instant,
    },
    Over,
}

impl Troubles {
    /// A database for nodes that have a link each, and their place.
    pub(crate) fn of_nodes(nodes: usize) -> (Self, Place) {
        let server = OwnServer::start();
        let url = server.url();
        let address = url.split(['@', '/']).nth(3).and_then(|address| address.parse().ok());
        let links: Vec<_> = (0..nodes).map(|_| Link::to(address.expect("an address"))).collect();
        let urls: Vec<String> = links
            .iter()
            .map(|link| url.replace(&address.unwrap().to_string(), &link.address().to_string()))
            .collect();
        let Some(endpoint) = bucket::endpoint() else {
            let place = Place::of_nodes(&urls, url, None);
            return (Self { server, links, store: None, kinds: KINDS.into(), happened: 0 }, place);
        };
        let address = endpoint.trim_start_matches("http://").parse().expect("an address");
        let proxy = StoreProxy::to(address);
        let store = Store { link: Link::to(proxy.address()), proxy };
        let place = Place::of_nodes(&urls, url, Some(store.link.address()));
        let kinds = [KINDS_OF_BUCKET.as_slice(), &KINDS].concat();
        (Self { server, links, store: Some(store), kinds, happened: 0 }, place)
    }

    /// The address of the database.
    pub(crate) fn database(&self) -> &str {
        self.server.url()
    }

    /// Whether there are kinds that have not happened.
    pub(crate) fn has_more(&self) -> bool {
        self.happened < self.kinds.len()
    }

    /// The trouble of a round.
    pub(crate) fn next(&mut self, random: &mut Random) -> Trouble {
        let kind = self.kinds[self.happened % self.kinds.len()];
        self.happened += 1;
        Trouble { kind, node: random.index(self.links.len()), stage: Stage::Ahead }
    }

    /// Begins it, ends it, and looks whether the node serves again.
    pub(crate) fn go_on(&self, trouble: &mut Trouble, nodes: &mut [Option<Running>]) {
        let node = nodes[trouble.node].as_mut();
        trouble.stage = match trouble.stage {
            Stage::Ahead if node.is_none() => return,
            Stage::Ahead => self.begin(trouble, node.unwrap()),
            Stage::Lasts { until, was_seen }
                if Instant::now() >= until && self.has_cut(trouble) =>
            {
                let must_be_seen = matches!(trouble.kind, Kind::CutOff(_));
                assert!(was_seen || !must_be_seen, "/readyz never failed, {trouble:?}");
                self.end(trouble, node.unwrap());
                Stage::Recovers { before: Instant::now() + PATIENCE }
            }
            Stage::Lasts { until, was_seen: false } if matches!(trouble.kind, Kind::CutOff(_)) => {
                Stage::Lasts { until, was_seen: matches!(node.unwrap().serves(), Ok(false)) }
            }
            Stage::Recovers { before } => match node {
                Some(node) if matches!(node.serves(), Ok(true)) => Stage::Over,
                Some(node) if Instant::now() >= before => {
                    panic!("it does not serve again, {trouble:?}: {}", node.service.log())
                }
                _ => return,
            },
            Stage::Lasts { .. } | Stage::Over => return,
        };
    }

    fn begin(&self, trouble: &Trouble, node: &Running) -> Stage {
        // The first time as long as is asked for.
        let cut_off = Duration::from_secs(number("VISIBILITY_CRASH_CUT_OFF", SHORT.as_secs()));
        let cut_off =
            if self.has_more() || self.happened == self.kinds.len() { cut_off } else { SHORT };
        let time = match trouble.kind {
            Kind::CommitsAreCut => {
                for link in &self.links {
                    link.cut_commits(COMMITS_TO_CUT);
                }
                Duration::ZERO
            }
            Kind::DatabaseCrashes => {
                self.server.restart();
                Duration::ZERO
            }
            Kind::CutOff(state) => {
                self.links[trouble.node].set(state);
                cut_off
            }
            Kind::StoreAway(state) => {
                self.store().link.set(state);
                cut_off
            }
            Kind::Store(weather) => {
                self.store().proxy.set(weather);
                SHORT
            }
            Kind::Frozen => {
                node.service.signal("-STOP");
                SHORT
            }
        };
        Stage::Lasts { until: Instant::now() + time, was_seen: false }
    }

    fn store(&self) -> &Store {
        self.store.as_ref().expect("objects are in a bucket")
    }

    /// Whether all commits are cut that were to be.
    fn has_cut(&self, trouble: &Trouble) -> bool {
        trouble.kind != Kind::CommitsAreCut
            || self.links.iter().all(|link| link.commits_to_cut() == 0)
    }

    fn end(&self, trouble: &Trouble, node: &Running) {
        match trouble.kind {
            Kind::CutOff(_) => self.links[trouble.node].set(State::Forwards),
            Kind::StoreAway(_) => self.store().link.set(State::Forwards),
            Kind::Store(_) => self.store().proxy.set(Weather::Fair),
            Kind::Frozen => node.service.signal("-CONT"),
            Kind::CommitsAreCut | Kind::DatabaseCrashes => {}
        }
    }
}

impl fmt::Display for Troubles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commits: usize = self.links.iter().map(Link::commits_cut).sum();
        write!(f, "{} troubles, {commits} commits cut", self.happened)?;
        match &self.store {
            Some(store) => write!(f, ", {} requests to the bucket spoiled", store.proxy.spoiled()),
            None => Ok(()),
        }
    }
}

impl Trouble {
    /// Whether it has passed, and the node serves again.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// Whether this node must not be killed besides: it is to recover by itself.
    pub(crate) fn spares(&self, node: usize) -> bool {
        self.node == node && !self.is_over()
    }
}

impl Running {
    /// Whether it serves, as far as the trouble goes: its clock may have been set wrong besides, and it says so.
    fn serves(&self) -> std::io::Result<bool> {
        let answer = client::get(self.service.address(), "/readyz")?;
        let is_clock_wrong = String::from_utf8_lossy(&answer.body).contains("the clock is");
        Ok(answer.status == 200 || is_clock_wrong)
    }
}
