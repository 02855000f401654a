//! Clients, a clock that jumps and a machine that fails at every step, around the real order of a
//! commit: one thread, and the same run for the same seed.
//!
//! `VISIBILITY_SEED=<seed>` runs one seed and tells what happens in it; `VISIBILITY_SEEDS=<count>`
//! runs that many. The database of these runs is a model. The real ones do the same in a part of them.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "a simulation stops where something is not as it should be, and says where"
)]

mod database;
mod disk;
mod interrupted;
mod model;
mod random;
mod sender;
mod world;

use self::world::{Figures, Run, simulate};

/// Runs of the test; `tests/run torture` has more.
const SEEDS: u64 = 4_000;
/// One in so many of them is done once more by the real database.
const SEEDS_A_DATABASE: u64 = 100;
/// Runs within which each way to break the protocol must be noticed.
const RUNS_TO_NOTICE: u64 = 20_000;

/// A way to break the protocol on purpose.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Sabotage {
    /// The batch is published before its last object is finished.
    PublishBeforeFinish,
    /// Objects are deleted although the ledger may name them.
    DeleteInDoubt,
    /// The sweeper takes whatever has no name.
    SweepWithoutAge,
    /// The sweeper trusts the clock.
    SweepAtOnce,
    /// The sweeper does not settle a commit in doubt.
    SweepInDoubt,
    /// An object is called finished before it is durable.
    ForgetSync,
    /// The ledger takes a batch that it knows.
    PublishTwice,
    /// The objects of files are deleted before the files are retired.
    DeleteBeforeRetired,
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
fn nothing_is_lost_and_nothing_counts_twice() {
    if let Some(seed) = setting("VISIBILITY_SEED") {
        let run = simulate(seed, None, true).expect("a run without a fault of ours");
        eprintln!("{:?}", run.figures);
        return;
    }
    let mut total = Figures::default();
    let seeds = setting("VISIBILITY_SEEDS").unwrap_or(SEEDS);
    for seed in 0..seeds {
        match simulate(seed, None, false) {
            Ok(run) => total.add(&run.figures),
            Err(broken) => panic!("VISIBILITY_SEED={seed}: {broken}"),
        }
    }
    eprintln!("seeds 0 to {seeds}: {total:?}");
    // Enough of everything happens that could go wrong.
    let often = seeds / 20;
    assert!(total.faults > often && total.crashes > often && total.swept > often, "{total:?}");
    assert!(total.replays > often && total.compactions > often, "{total:?}");
    assert!(total.conflicts > often / 10 && total.forgotten > often, "{total:?}");
}

#[test]
fn nothing_is_lost_in_a_real_database() {
    let mut changes = 0;
    let seeds = setting("VISIBILITY_SEEDS").unwrap_or(SEEDS) / SEEDS_A_DATABASE;
    for seed in 0..seeds {
        let Run { committed, .. } =
            simulate(seed, None, false).expect("a run without a fault of ours");
        database::do_the_same(&committed);
        changes += committed.history.len();
    }
    eprintln!("seeds 0 to {seeds}: {changes} transactions");
}

#[test]
fn a_seed_gives_the_same_run_each_time() {
    for seed in 0..20 {
        let run = || simulate(seed, None, false).expect("a run without a fault of ours").figures;
        assert_eq!(run(), run());
    }
}

/// The seeds within which each way to break the protocol is noticed.
fn is_noticed(sabotage: Sabotage) {
    for seed in 0..RUNS_TO_NOTICE {
        if let Err(broken) = simulate(seed, Some(sabotage), false) {
            eprintln!("{sabotage:?}: seed {seed}: {broken}");
            return;
        }
    }
    panic!("{sabotage:?} is not noticed");
}

#[test]
fn publishing_before_an_object_is_finished_is_noticed() {
    is_noticed(Sabotage::PublishBeforeFinish);
}

#[test]
fn deleting_in_doubt_is_noticed() {
    is_noticed(Sabotage::DeleteInDoubt);
}

#[test]
fn sweeping_without_an_age_is_noticed() {
    is_noticed(Sabotage::SweepWithoutAge);
}

#[test]
fn sweeping_by_the_clock_alone_is_noticed() {
    is_noticed(Sabotage::SweepAtOnce);
}

#[test]
fn sweeping_what_a_commit_in_doubt_names_is_noticed() {
    is_noticed(Sabotage::SweepInDoubt);
}

#[test]
fn forgetting_to_sync_is_noticed() {
    is_noticed(Sabotage::ForgetSync);
}

#[test]
fn publishing_twice_is_noticed() {
    is_noticed(Sabotage::PublishTwice);
}

#[test]
fn deleting_before_a_file_is_retired_is_noticed() {
    is_noticed(Sabotage::DeleteBeforeRetired);
}
