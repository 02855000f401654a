//! Batches are counted once whatever happens: the real service is killed with SIGKILL at every step of
//! a commit and at any time, while clients send each batch until they have its answer.
//!
//! The short form runs with the other tests. `VISIBILITY_CRASH_KILLS=400` asks for more kills, and
//! `VISIBILITY_CRASH_SEED` for other ones. SIGKILL leaves the page cache alone: what a power failure
//! leaves is not tested here.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where something is not as it should be"
)]

mod batches;
mod client;
mod service;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use visibility_server::runtime::fault::POINTS;
use visibility_tests::random::Random;

use crate::crash::batches::{Batch, Batches};
use crate::crash::client::{Tally, Task};
use crate::crash::service::Place;

const CLIENTS: usize = 8;
const TENANTS: [&str; 2] = ["alpha", "beta"];
/// Kills of the short form beyond one at each point.
const RANDOM_KILLS: usize = 14;
/// Batches of a round that are new.
const NEW_BATCHES: usize = 14;
/// Times that a round begins with; after them the service is left alone until all is answered.
const KILLS_A_ROUND: usize = 3;
/// Seconds that the clock may be ahead: less than records are that are refused for their time.
const MAX_JUMP: u32 = 3600;
/// Longest time until a service that is to die has to be killed from outside.
const FUSE: Duration = Duration::from_secs(10);

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn no_batch_is_lost_and_none_is_counted_twice() {
    let seed = number("VISIBILITY_CRASH_SEED", 20_261_121);
    let wanted = number("VISIBILITY_CRASH_KILLS", 0);
    let wanted = usize::try_from(wanted).unwrap().max(POINTS.len() + RANDOM_KILLS);
    let place = Place::new(&TENANTS);
    let mut torture = Torture {
        random: Random::new(seed),
        batches: Batches::default(),
        figures: Figures::default(),
        place,
        seed,
    };
    // Each point once, then points and times as they come.
    let mut points: Vec<&str> = POINTS.iter().rev().copied().collect();
    while torture.figures.kills() < wanted {
        torture.round(&mut points);
    }
    torture.replay_everything();
    let line = torture.figures.line(&torture.batches);
    // Not by `println`, which a test that passes keeps to itself.
    writeln!(std::io::stderr(), "crash test, seed {seed}: {line}").unwrap();
    for point in POINTS {
        let is_reached = torture.figures.at_points.contains_key(point);
        assert!(is_reached, "{point} was never reached; is the service built with fault points?");
    }
}

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

    fn line(&self, batches: &Batches) -> String {
        let records: u64 = TENANTS.iter().map(|tenant| batches.accepted(tenant)).sum();
        let clients = &self.clients;
        format!(
            "{} kills ({} at {} fault points, {} at random) in {} rounds; {} \
             jumps of the clock; {} batches, {records} \
             records; {} requests: {} duplicates at the same time, {} replays, {} cut uploads, {} \
             without an answer, {} refused for now; 0 lost, 0 counted twice",
            self.kills(),
            self.at_points.values().sum::<usize>(),
            self.at_points.len(),
            self.at_random,
            self.rounds,
            self.jumps,
            batches.len(),
            clients.requests,
            clients.duplicates,
            clients.replays,
            clients.cut,
            clients.unanswered,
            clients.refused,
        )
    }
}

struct Torture {
    random: Random,
    batches: Batches,
    figures: Figures,
    place: Place,
    seed: u64,
}

impl Torture {
    /// New batches, duplicates and late replays, sent through some kills; then everything must agree.
    fn round(&mut self, points: &mut Vec<&'static str>) {
        self.figures.rounds += 1;
        let tasks = self.tasks();
        let clients = client::start(CLIENTS, tasks, &mut self.random);
        for _ in 0..KILLS_A_ROUND {
            let untried = points.pop();
            let point = untried.or_else(|| self.point());
            let nth = if untried.is_some() { 1 } else { 1 + self.random.below(4) };
            self.jump();
            let mut service = self.place.serve(point.map(|point| format!("{point}:{nth}")));
            clients.point_to(Some(service.address()));
            let time = match point {
                Some(_) => FUSE,
                None => Duration::from_millis(u64::from(self.random.below(400))),
            };
            let died = service.dies_within(time, || clients.are_done());
            clients.point_to(None);
            match (died, point) {
                (true, Some(point)) => *self.figures.at_points.entry(point).or_default() += 1,
                (true, None) => panic!("the service died by itself: {}", service.log()),
                (false, _) => {
                    points.extend(untried);
                    self.figures.at_random += 1;
                }
            }
            service.kill();
        }
        let mut service = self.place.serve(None);
        self.jump();
        clients.point_to(Some(service.address()));
        self.figures.clients.add(&clients.finish());
        self.place.assert_no_leftovers();
        service.kill();
        self.figures.at_random += 1;
        self.assert_straight();
    }

    /// Lets the service's clock jump, to the right time or up to an hour ahead of it.
    fn jump(&mut self) {
        let ahead = if self.random.below(2) == 0 { 0 } else { self.random.below(MAX_JUMP) };
        self.place.set_clock(ahead);
        self.figures.jumps += 1;
    }

    /// Where the service shall die: at a point, or any time.
    fn point(&mut self) -> Option<&'static str> {
        (self.random.below(3) > 0).then(|| *self.random.pick(&POINTS))
    }

    fn tasks(&mut self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for _ in 0..NEW_BATCHES {
            let tenant = *self.random.pick(&TENANTS);
            let batch = self.batches.make(tenant, &mut self.random);
            let copies = if self.random.below(3) == 0 { 3 } else { 1 };
            tasks.extend((0..copies).map(|copy| Task::send(Arc::clone(&batch), copy > 0)));
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
        }
    }

    /// Every batch once more: the same answers, and nothing is counted.
    fn replay_everything(&mut self) {
        let start = Instant::now();
        let tasks = self.batches.all().map(Task::replay).collect();
        let clients = client::start(CLIENTS, tasks, &mut self.random);
        let mut service = self.place.serve(None);
        clients.point_to(Some(service.address()));
        self.figures.clients.add(&clients.finish());
        service.kill();
        self.assert_straight();
        assert!(self.batches.iter().all(Batch::is_answered), "{:?}", start.elapsed());
    }
}
