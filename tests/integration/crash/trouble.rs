//! What happens to nodes and their database besides the death of a node.

use std::fmt;
use std::time::{Duration, Instant};

use visibility_tests::database::OwnServer;
use visibility_tests::random::Random;
use visibility_tests::wait::PATIENCE;

use crate::crash::link::{Link, State};
use crate::crash::service::Place;
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

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    /// Connections of all nodes are closed within COMMIT.
    CommitsAreCut,
    /// The database loses its processes and starts again.
    DatabaseCrashes,
    /// One node cannot reach the database, in one way or another.
    CutOff(State),
    /// One node gets no time of a processor, wherever it is.
    Frozen,
}

/// The database of some nodes, and their ways to it.
#[derive(Debug)]
pub(crate) struct Troubles {
    server: OwnServer,
    links: Vec<Link>,
    happened: usize,
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
        let place = Place::of_nodes(&urls, url);
        (Self { server, links, happened: 0 }, place)
    }

    /// The address of the database.
    pub(crate) fn database(&self) -> &str {
        self.server.url()
    }

    /// Whether there are kinds that have not happened.
    pub(crate) fn has_more(&self) -> bool {
        self.happened < KINDS.len()
    }

    /// The trouble of a round.
    pub(crate) fn next(&mut self, random: &mut Random) -> Trouble {
        let kind = KINDS[self.happened % KINDS.len()];
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
                Stage::Lasts { until, was_seen: matches!(node.unwrap().ready(), Ok(503)) }
            }
            Stage::Recovers { before } => match node {
                Some(node) if matches!(node.ready(), Ok(200)) => Stage::Over,
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
        let cut_off = if self.has_more() || self.happened == KINDS.len() { cut_off } else { SHORT };
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
            Kind::Frozen => {
                node.service.signal("-STOP");
                SHORT
            }
        };
        Stage::Lasts { until: Instant::now() + time, was_seen: false }
    }

    /// Whether all commits are cut that were to be.
    fn has_cut(&self, trouble: &Trouble) -> bool {
        trouble.kind != Kind::CommitsAreCut
            || self.links.iter().all(|link| link.commits_to_cut() == 0)
    }

    fn end(&self, trouble: &Trouble, node: &Running) {
        match trouble.kind {
            Kind::CutOff(_) => self.links[trouble.node].set(State::Forwards),
            Kind::Frozen => node.service.signal("-CONT"),
            Kind::CommitsAreCut | Kind::DatabaseCrashes => {}
        }
    }
}

impl fmt::Display for Troubles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commits: usize = self.links.iter().map(Link::commits_cut).sum();
        write!(f, "{} troubles, {commits} commits cut", self.happened)
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
    fn ready(&self) -> std::io::Result<u16> {
        client::status(self.service.address(), "/readyz")
    }
}
