//! Batches are counted once whatever happens: the real service is killed with SIGKILL at every step of
//! a commit and at any time, while clients send each batch until they have its answer. Several nodes of it
//! suffer besides what networks and databases do.
//!
//! The short form runs with the other tests. `VISIBILITY_CRASH_KILLS=400` asks for more kills,
//! `VISIBILITY_CRASH_SEED` for other ones, and `VISIBILITY_CRASH_CUT_OFF=60` cuts nodes off from the database for that
//! many seconds. SIGKILL leaves the page cache alone: what a power failure leaves is not tested here.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod batches;
mod client;
mod link;
mod service;
mod store;
mod trouble;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Write as _;
use std::thread;
use std::time::{Duration, Instant};

use visibility_core::accounts::tenant::TenantSlug;
use visibility_server::ingest::recount::recount;
use visibility_server::runtime::fault::POINTS;
use visibility_tests::database;
use visibility_tests::random::Random;
use visibility_tests::wait::until_blocking;

use crate::crash::batches::{Batch, Batches};
use crate::crash::client::{Clients, Tally, Task};
use crate::crash::service::{Place, Service, StartError};
use crate::crash::trouble::{Trouble, Troubles};

const CLIENTS: usize = 8;
const TENANTS: [&str; 2] = ["alpha", "beta"];
/// Kills of the short form beyond one at each point.
const RANDOM_KILLS: usize = 14;
/// Batches that clients have at a time.
const NEW_BATCHES: usize = 14;
/// Times that each node is killed in a round; then it is left alone until all is answered.
const KILLS_A_ROUND: usize = 3;
/// Seconds that the clock may be wrong: less than records are that are refused for their time.
const MAX_JUMP: u32 = 3600;
/// Seconds that the clock of a node is behind at least, if it is. From records of so little in the future it could not tell
/// that its own clock is wrong.
const MIN_BEHIND: u32 = 400;
/// Longest time until a service that is to die has to be killed from outside.
const FUSE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn no_batch_is_lost_and_none_is_counted_twice() {
    Torture::of(Place::of_one_node(), None).run();
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn two_nodes_lose_nothing_and_count_nothing_twice() {
    let (troubles, place) = Troubles::of_nodes(2);
    Torture::of(place, Some(troubles)).run();
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn a_worker_that_was_frozen_past_its_lease_changes_nothing() {
    let (troubles, place) = Troubles::of_nodes(2);
    let mut random = Random::new(1);
    let mut batches = Batches::new(place.create(&TENANTS));
    let often =
        [("VISIBILITY_MAINTENANCE__INTERVAL", "1"), ("VISIBILITY_MAINTENANCE__COMPACT_AFTER", "0")];
    let freezes = [often[0], often[1], ("VISIBILITY_FREEZE_AT", "before-replace")];

    let frozen = place.serve(0, &freezes).unwrap();
    let tasks = (0..4).flat_map(|_| Task::send(&batches.make(TENANTS[0], &mut random), 1));
    let clients = client::start(1, 1, tasks.collect(), &mut random);
    clients.point_to(0, Some(frozen.address()));
    until_blocking("the node is about to replace files", || frozen.is_frozen());

    // So that the test need not wait for its end.
    database::run(troubles.database(), "UPDATE lease SET until = 0");
    let other = place.serve(1, &often).unwrap();
    clients.point_to(0, Some(other.address()));
    clients.finish();
    until_blocking("the other node compacts", || other.log().contains("files compacted"));
    let before = place.check();
    assert_eq!(before["ok"], true, "{before:#}");

    frozen.signal("-CONT");
    until_blocking("the node has woken up", || frozen.log().contains("is not live any more"));
    drop((frozen, other));
    let after = place.check();
    assert_eq!(after["ok"], true, "{after:#}");
    let books = &after["tenants"][TENANTS[0]];
    assert_eq!(books["files"], batches.accepted(TENANTS[0]), "{after:#}");
    assert_eq!(after["tenants"], before["tenants"]);
}

/// Kills of a node that dies again and again, in the short form.
const KILLS_IN_A_ROW: u64 = 24;
/// Points at which the database and the mark beside the objects may differ.
const AROUND_THE_MARK: [&str; 4] =
    ["before-newest", "after-newest", "after-commit", "before-answer"];

#[test]
fn a_node_that_dies_again_and_again_never_locks_itself_out() {
    let place = Place::of_one_node();
    let mut random = Random::new(2);
    let mut batches = Batches::new(place.create(&TENANTS));
    let kills = number("VISIBILITY_CRASH_KILLS", KILLS_IN_A_ROW);
    let tasks = (0..kills).flat_map(|_| Task::send(&batches.make(TENANTS[0], &mut random), 1));
    let clients = client::start(1, 1, tasks.collect(), &mut random);
    for point in AROUND_THE_MARK.iter().cycle().take(usize::try_from(kills).unwrap()) {
        let mut node = match place.serve(0, &[("VISIBILITY_CRASH_AT", point)]) {
            Ok(node) => node,
            Err(error) => {
                assert!(error.is_killed(), "{error}");
                continue;
            }
        };
        clients.point_to(0, Some(node.address()));
        let end = Instant::now() + Duration::from_millis(random.below(100).into());
        while Instant::now() < end && !node.is_dead() {
            thread::sleep(PAUSE);
        }
        node.kill();
        clients.point_to(0, None);
    }
    let node = place.serve(0, &[]).unwrap();
    clients.point_to(0, Some(node.address()));
    clients.finish();
    drop(node);
    assert_all_is_kept(&place, &batches);
}

#[test]
#[ignore = "needs PostgreSQL: `tests/run postgres` runs it"]
fn wrong_clocks_lose_nothing() {
    let (_troubles, place) = Troubles::of_nodes(2);
    let mut random = Random::new(3);
    let mut batches = Batches::new(place.create(&TENANTS));
    let (hour, hundred_days) = (3600, 100 * 24 * 3600);
    for ahead in [-hour, hour, hundred_days] {
        for wrong in [&[1][..], &[0, 1]] {
            for is_wrong_at_start in [true, false] {
                let set_all = |ahead| wrong.iter().for_each(|node| place.set_clock(*node, ahead));
                if is_wrong_at_start {
                    set_all(ahead);
                }
                let nodes = [0, 1].map(|node| place.serve(node, &[]).unwrap());
                set_all(ahead);
                let tasks =
                    (0..8).flat_map(|_| Task::send(&batches.make(TENANTS[0], &mut random), 2));
                let clients = client::start(4, 2, tasks.collect(), &mut random);
                for (node, running) in nodes.iter().enumerate() {
                    clients.point_to(node, Some(running.address()));
                }
                if wrong.len() == 1 {
                    until_blocking("the other node takes all", || clients.are_done());
                } else {
                    thread::sleep(Duration::from_millis(300));
                    set_all(0);
                }
                clients.finish();
                set_all(0);
                drop(nodes);
                assert_all_is_kept(&place, &batches);
            }
        }
    }
}

/// Everything was answered, and the books have it.
fn assert_all_is_kept(place: &Place, batches: &Batches) {
    assert!(batches.iter().all(Batch::is_answered));
    let report = place.check();
    assert_eq!(report["ok"], true, "{report:#}");
    let books = &report["tenants"][TENANTS[0]];
    for book in ["ledger", "files", "rollups"] {
        assert_eq!(books[book], batches.accepted(TENANTS[0]), "{book}: {report:#}");
    }
}

/// How many versions a Delta log may be behind at the end.
const MOST_VERSIONS: usize = 40;

/// What has been done.
#[derive(Debug, Default)]
struct Figures {
    at_points: BTreeMap<&'static str, usize>,
    at_random: usize,
    rounds: usize,
    jumps: usize,
    clients: Tally,
}

impl Figures {
    fn kills(&self) -> usize {
        self.at_points.values().sum::<usize>() + self.at_random
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clients = &self.clients;
        write!(
            f,
            "{} kills ({} at {} fault points, {} at random) in {} rounds; {} jumps of the clock; \
             {} requests: {} duplicates at the same time, {} replays, {} cut uploads, {} \
             without an answer, {} refused for now",
            self.kills(),
            self.at_points.values().sum::<usize>(),
            self.at_points.len(),
            self.at_random,
            self.rounds,
            self.jumps,
            clients.requests,
            clients.duplicates,
            clients.replays,
            clients.cut,
            clients.unanswered,
            clients.refused,
        )
    }
}

/// What a node dies of.
#[derive(Debug)]
enum Death {
    /// It passes this point for the n-th time; or else it is killed after some time.
    AtPoint { point: &'static str, nth: u32, was_tried: bool },
    /// It is killed when it has lived so long.
    After(Duration),
    /// It lives until the end of the round.
    Spared,
}

/// A node that runs.
#[derive(Debug)]
struct Running {
    service: Service,
    since: Instant,
    death: Death,
}

#[derive(Debug)]
struct Torture {
    random: Random,
    batches: Batches,
    figures: Figures,
    place: Place,
    /// What happens besides.
    troubles: Option<Troubles>,
    /// The points at which no node has died.
    untried: Vec<&'static str>,
    /// Those that are not running cannot reach the database.
    nodes: Vec<Option<Running>>,
    seed: u64,
}

impl Torture {
    fn of(place: Place, troubles: Option<Troubles>) -> Self {
        let seed = number("VISIBILITY_CRASH_SEED", 20_261_121);
        Self {
            random: Random::new(seed),
            batches: Batches::new(place.create(&TENANTS)),
            figures: Figures::default(),
            troubles,
            untried: POINTS.iter().rev().copied().collect(),
            nodes: (0..place.nodes()).map(|_| None).collect(),
            place,
            seed,
        }
    }

    /// Each point once, then points and times as they come.
    fn run(mut self) {
        let wanted = number("VISIBILITY_CRASH_KILLS", 0);
        let wanted = usize::try_from(wanted).unwrap().max(POINTS.len() + RANDOM_KILLS);
        // Without fault points there is none that is ever reached.
        let is_hopeless = |kills| kills > 4 * wanted;
        while self.figures.kills() < wanted
            || !(self.untried.is_empty() || is_hopeless(self.figures.kills()))
            || self.troubles.as_ref().is_some_and(Troubles::has_more)
        {
            self.round();
        }
        self.replay_everything();
        let records: u64 = TENANTS.iter().map(|tenant| self.batches.accepted(tenant)).sum();
        let troubles = self.troubles.as_ref().map(|troubles| format!("; {troubles}"));
        let line = format!(
            "crash test, nodes {}, seed {}: {}{}; {} batches, {records} records; \
             0 lost, 0 counted twice",
            self.place.nodes(),
            self.seed,
            self.figures,
            troubles.unwrap_or_default(),
            self.batches.len(),
        );
        // Not by `println`, which a test that passes keeps to itself.
        let mut stderr = std::io::stderr().lock();
        writeln!(stderr, "{line}").unwrap();
        for point in POINTS {
            let is_reached = self.figures.at_points.contains_key(point);
            assert!(is_reached, "{point} was never reached; has the service fault points?");
        }
    }

    /// New batches, duplicates and late replays, sent through some kills; then everything must agree.
    fn round(&mut self) {
        self.figures.rounds += 1;
        let wanted = self.figures.kills() + KILLS_A_ROUND * self.nodes.len();
        let mut trouble = self.troubles.as_mut().map(|troubles| troubles.next(&mut self.random));
        let mut clients = self.clients();
        loop {
            self.keep_alive(&clients, trouble.as_ref());
            if let (Some(trouble), Some(troubles)) = (&mut trouble, &mut self.troubles) {
                troubles.go_on(trouble, &mut self.nodes);
            }
            let has_trouble = trouble.as_ref().is_some_and(|trouble| !trouble.is_over());
            if self.figures.kills() >= wanted && !has_trouble {
                break;
            }
            if clients.are_done() {
                if !has_trouble {
                    break;
                }
                self.figures.clients.add(&clients.finish());
                clients = self.clients();
            }
            thread::sleep(PAUSE);
        }
        for node in 0..self.nodes.len() {
            self.end(node, &clients);
            self.start(node, Death::Spared, &clients).unwrap();
            self.jump(node);
        }
        self.figures.clients.add(&clients.finish());
        self.place.assert_no_leftovers();
        for node in &mut self.nodes {
            node.take().unwrap().service.kill();
            self.figures.at_random += 1;
        }
        self.assert_straight();
    }

    /// Notes which nodes have died, kills those whose time has come, and starts all again.
    fn keep_alive(&mut self, clients: &Clients, trouble: Option<&Trouble>) {
        for node in 0..self.nodes.len() {
            let is_to_end = self.nodes[node].as_mut().is_some_and(|running| {
                let lived = running.since.elapsed();
                running.service.is_dead()
                    || match running.death {
                        Death::AtPoint { .. } => lived >= FUSE,
                        Death::After(time) => lived >= time,
                        Death::Spared => false,
                    }
            });
            if is_to_end {
                self.end(node, clients);
            }
            if self.nodes[node].is_none() {
                let is_spared = trouble.is_some_and(|trouble| trouble.spares(node));
                let death = if is_spared { Death::Spared } else { self.death() };
                self.jump(node);
                if let Err(reason) = self.start(node, death, clients) {
                    assert!(trouble.is_some_and(|trouble| !trouble.is_over()), "{reason}");
                }
            }
        }
    }

    /// Starts a node, which may die at its point before it is ready.
    ///
    /// # Errors
    ///
    /// If it cannot reach the database.
    fn start(&mut self, node: usize, death: Death, clients: &Clients) -> Result<(), StartError> {
        let crash_at = match &death {
            Death::AtPoint { point, nth, .. } => Some(format!("{point}:{nth}")),
            Death::After(_) | Death::Spared => None,
        };
        let variables = crash_at.iter().map(|point| ("VISIBILITY_CRASH_AT", point.as_str()));
        let started = self.place.serve(node, &variables.collect::<Vec<_>>());
        match (&started, &death) {
            (Err(error), Death::AtPoint { point, .. }) if error.is_killed() => {
                *self.figures.at_points.entry(point).or_default() += 1;
                return Ok(());
            }
            (Err(_), Death::AtPoint { point, was_tried: false, .. }) => self.untried.push(point),
            _ => {}
        }
        let running = started.map(|service| {
            clients.point_to(node, Some(service.address()));
            Running { service, since: Instant::now(), death }
        });
        self.nodes[node] = running?.into();
        Ok(())
    }

    /// Kills a node, if it has not died by itself.
    fn end(&mut self, node: usize, clients: &Clients) {
        let Some(mut running) = self.nodes[node].take() else { return };
        clients.point_to(node, None);
        let has_died = running.service.is_dead();
        match running.death {
            Death::AtPoint { point, .. } if has_died => {
                *self.figures.at_points.entry(point).or_default() += 1;
            }
            _ if has_died => panic!("a node died by itself: {}", running.service.log()),
            Death::AtPoint { point, was_tried: false, .. } => {
                self.untried.push(point);
                self.figures.at_random += 1;
            }
            _ => self.figures.at_random += 1,
        }
        running.service.kill();
    }

    /// Lets the clock of a node jump, to the right time or up to an hour away from it.
    fn jump(&mut self, node: usize) {
        // The clock of the first start is the one that later ones are compared with.
        let is_first = self.figures.jumps < self.nodes.len();
        let ahead = match self.random.below(4) {
            _ if is_first => 0,
            0 | 1 => 0,
            // It takes no new batches then, so that another node has to.
            2 if node > 0 => -i64::from(MIN_BEHIND + self.random.below(MAX_JUMP - MIN_BEHIND)),
            _ => self.random.below(MAX_JUMP).into(),
        };
        self.place.set_clock(node, ahead);
        self.figures.jumps += 1;
    }

    /// What a node shall die of: a point, first of all one that was not tried, or any time.
    fn death(&mut self) -> Death {
        if let Some(point) = self.untried.pop() {
            return Death::AtPoint { point, nth: 1, was_tried: false };
        }
        if self.random.below(3) == 0 {
            return Death::After(Duration::from_millis(u64::from(self.random.below(400))));
        }
        let point = *self.random.pick(&POINTS);
        Death::AtPoint { point, nth: 1 + self.random.below(4), was_tried: true }
    }

    /// Clients with something to do, which know all nodes that run.
    fn clients(&mut self) -> Clients {
        let tasks = self.tasks();
        let clients = client::start(CLIENTS, self.nodes.len(), tasks, &mut self.random);
        for (node, running) in self.nodes.iter().enumerate() {
            clients.point_to(node, running.as_ref().map(|running| running.service.address()));
        }
        clients
    }

    fn tasks(&mut self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for _ in 0..NEW_BATCHES {
            let tenant = *self.random.pick(&TENANTS);
            let batch = self.batches.make(tenant, &mut self.random);
            let copies = if self.random.below(3) == 0 { 4 } else { 1 };
            tasks.extend(Task::send(&batch, copies));
        }
        for _ in 0..4 {
            let late = self.batches.answered(&mut self.random);
            tasks.extend(late.map(Task::replay));
        }
        tasks
    }

    /// Ledger, files and rollups have what was confirmed to the clients, and nothing else.
    fn assert_straight(&self) {
        let report = self.place.check();
        assert_eq!(report["ok"], true, "seed {}: {report:#}", self.seed);
        for tenant in TENANTS {
            let confirmed = self.batches.accepted(tenant);
            let books = &report["tenants"][tenant];
            for book in ["ledger", "files", "rollups"] {
                let found = books[book].as_u64().unwrap_or_default();
                assert_eq!(found, confirmed, "seed {}, {tenant}, {book}: {report:#}", self.seed);
            }
            // It refuses what the protocol forbids, such as a file that is added twice.
            self.place.delta_table(tenant);
        }
    }

    /// Everything that is added up comes to the same when all records are counted again.
    fn assert_sums_are_those_of_the_records(&self) {
        let Some(stores) = self.place.stores() else { return };
        let tenants = TENANTS.map(|tenant| tenant.parse::<TenantSlug>().unwrap());
        let sums = || tenants.each_ref().map(|tenant| stores.state_store().sums(tenant).unwrap());
        let before = sums();
        for table in ["kind_day", "hour", "agent_seen"] {
            self.place.execute(&format!("DELETE FROM {table}"));
        }
        for (tenant, sums) in tenants.iter().zip(&before) {
            let days: BTreeSet<_> = sums.rollups.iter().map(|row| row.day).collect();
            for day in days {
                recount(&stores, tenant, day, &|| false).unwrap();
            }
        }
        assert_eq!(sums(), before, "seed {}", self.seed);
    }

    /// Every batch once more: the same answers, and nothing is counted.
    fn replay_everything(&mut self) {
        let tasks = self.batches.all().map(Task::replay).collect();
        let clients = client::start(CLIENTS, self.nodes.len(), tasks, &mut self.random);
        for node in 0..self.nodes.len() {
            self.start(node, Death::Spared, &clients).unwrap();
        }
        self.figures.clients.add(&clients.finish());
        for node in &mut self.nodes {
            node.take().unwrap().service.kill();
        }
        self.assert_straight();
        self.assert_sums_are_those_of_the_records();
        assert!(self.batches.iter().all(Batch::is_answered));
        if self.place.delta_table(TENANTS[0]).is_some() {
            self.assert_delta_logs_are_whole();
        }
    }

    /// The logs have all records, each once, when nodes have had the time to write them.
    fn assert_delta_logs_are_whole(&mut self) {
        let is_whole = |place: &Place, batches: &Batches| {
            TENANTS.iter().all(|tenant| {
                let table = place.delta_table(tenant).unwrap_or_default();
                let sums =
                    table.changed.iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
                let rows: u64 = table.files.values().sum();
                let accepted = batches.accepted(tenant);
                assert!(
                    rows <= accepted && sums.0 <= accepted && sums.1 == 0,
                    "{tenant}: {table:?}"
                );
                rows == accepted && sums.0 == accepted
            })
        };
        // A start writes one version.
        for _ in 0..MOST_VERSIONS {
            let nodes: Vec<_> =
                (0..self.nodes.len()).map(|node| self.place.serve(node, &[]).unwrap()).collect();
            let until = Instant::now() + Duration::from_secs(1);
            while Instant::now() < until {
                if is_whole(&self.place, &self.batches) {
                    return;
                }
                thread::sleep(PAUSE);
            }
            drop(nodes);
        }
        panic!("seed {}: the Delta logs are not whole", self.seed);
    }
}
