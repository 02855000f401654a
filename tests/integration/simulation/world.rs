//! Who does what next, and what must hold all the time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use visibility_core::accounts::tenant::BatchKey;
use visibility_core::limits;
use visibility_core::store::commit::{Committed, Sweep, Sweeper, is_orphan, only_unnamed};
use visibility_core::store::{ListedObject, Objects, StoreError, StoredResponse};

use super::Sabotage;
use super::disk::Disk;
use super::interrupted::Interrupted;
use super::model::Model;
use super::random::Random;
use super::sender::{Attempt, Client, Progress};

/// Most attempts at the same time.
const MAX_SLOTS: usize = 4;
/// How far the clock may be off.
const MAX_JUMP: TimeDelta = TimeDelta::hours(48);
/// How long objects of retired files stay.
const GRACE: TimeDelta = TimeDelta::hours(1);

/// What happened in a run.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Figures {
    pub(crate) steps: u64,
    pub(crate) faults: u64,
    pub(crate) crashes: u64,
    pub(crate) published: u64,
    pub(crate) replays: u64,
    pub(crate) conflicts: u64,
    pub(crate) compactions: u64,
    pub(crate) swept: u64,
    pub(crate) forgotten: u64,
}

impl Figures {
    pub(crate) fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.faults += other.faults;
        self.crashes += other.crashes;
        self.published += other.published;
        self.replays += other.replays;
        self.conflicts += other.conflicts;
        self.compactions += other.compactions;
        self.swept += other.swept;
        self.forgotten += other.forgotten;
    }
}

/// A run without a fault of ours.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) figures: Figures,
    /// What is committed in the end.
    pub(crate) committed: Model,
}

pub(crate) struct Simulation<'d> {
    pub(crate) disk: &'d Disk,
    pub(crate) clients: Vec<Client>,
    slots: Vec<Mutex<Option<Attempt<'d>>>>,
    /// The answers that were given.
    promises: Mutex<BTreeMap<BatchKey, StoredResponse>>,
    figures: Mutex<Figures>,
    /// What could not be true, found where it happened.
    broken: Mutex<Option<String>>,
    is_verbose: bool,
}

/// What only the main loop touches.
struct Course {
    real: DateTime<Utc>,
    sweeper: Sweeper,
    sweeps: u64,
    attempts: u64,
}

/// One run. The error says what was broken.
pub(crate) fn simulate(
    seed: u64,
    sabotage: Option<Sabotage>,
    is_verbose: bool,
) -> Result<Run, String> {
    let start = DateTime::from_timestamp(1_790_000_000, 0).unwrap_or_default();
    let mut random = Random::new(seed);
    let clients = clients(&mut random, start);
    let slots = 1 + random.below(MAX_SLOTS);
    let fault_rate = random.below(150);
    let disk = Disk::new(random, start, sabotage);
    disk.state().fault_rate = fault_rate;
    let world = Simulation {
        disk: &disk,
        clients,
        slots: (0..slots).map(|_| Mutex::default()).collect(),
        promises: Mutex::default(),
        figures: Mutex::default(),
        broken: Mutex::default(),
        is_verbose,
    };
    let mut course = Course { real: start, sweeper: Sweeper::default(), sweeps: 0, attempts: 0 };
    let steps = 60 + disk.state().random.below(60);
    for _ in 0..steps {
        world.act(&mut course);
        world.restart_if_dead(&mut course);
        world.check(&course)?;
    }
    world.end(&mut course)?;
    let mut figures = world.figures().clone();
    let state = disk.state();
    figures.steps = steps as u64;
    figures.faults = state.faults;
    figures.crashes = state.crashes;
    figures.forgotten = state.model.forgotten_batches;
    Ok(Run { figures, committed: state.model.clone() })
}

/// Four senders; two of different tenants have the same batch id.
fn clients(random: &mut Random, created_at: DateTime<Utc>) -> Vec<Client> {
    let client = |number: u8| Client {
        number,
        key: BatchKey {
            tenant: if number == 0 { "zero" } else { "others" }.parse().expect("a slug"),
            batch_id: Uuid::from_u128(u128::from(number.max(1))),
        },
        created_at,
        accepted: 1 + u8::try_from(random.below(9)).unwrap_or(0),
        has_large_answer: random.chance(400),
    };
    (0..4).map(client).collect()
}

impl Simulation<'_> {
    pub(crate) fn figures(&self) -> MutexGuard<'_, Figures> {
        lock(&self.figures)
    }

    pub(crate) fn sabotage(&self) -> Option<Sabotage> {
        self.disk.state().sabotage
    }

    pub(crate) fn tell(&self, what: impl FnOnce() -> String) {
        if self.is_verbose {
            eprintln!("{} {}", self.disk.state().now.format("%m-%dT%H:%M"), what());
        }
    }

    /// Gives an answer, unless the process has ended.
    pub(crate) fn answered(&self, client: &Client, committed: &Committed) {
        if self.disk.state().is_dead {
            return;
        }
        let mut figures = self.figures();
        let kind = if committed.is_replay { &mut figures.replays } else { &mut figures.published };
        *kind += 1;
        let mut promises = lock(&self.promises);
        let first =
            promises.entry(client.key.clone()).or_insert_with(|| committed.response.clone());
        if *first != committed.response {
            let why = format!("client {} has got two different answers", client.number);
            lock(&self.broken).get_or_insert(why);
        }
    }

    /// Lets others do some steps, within a step.
    pub(crate) fn interrupt(&self) {
        for _ in 0..3 {
            let slot = {
                let mut state = self.disk.state();
                if state.is_dead || !state.random.chance(400) {
                    return;
                }
                state.random.below(self.slots.len())
            };
            self.step_slot(slot);
        }
    }

    /// One who is in the midst of a step is left alone.
    fn step_slot(&self, slot: usize) {
        let Ok(mut slot) = self.slots[slot].try_lock() else { return };
        if let Some(attempt) = slot.as_mut()
            && attempt.advance(self) == Progress::Over
        {
            *slot = None;
        }
    }

    fn act(&self, course: &mut Course) {
        let (action, slot) = {
            let mut state = self.disk.state();
            (state.random.below(1000), state.random.below(self.slots.len()))
        };
        match action {
            0..550 => self.step_slot(slot),
            550..750 => self.start(course, slot),
            750..800 => self.sweep(course),
            // Two at once find what is in doubt meanwhile.
            800..850 => {
                self.sweep(course);
                self.sweep(course);
            }
            850..870 => self.remove_retired(),
            870..890 => {
                let outcome = self.disk.forget();
                self.tell(|| format!("forget: {outcome:?}"));
            }
            890..905 => {
                let mut state = self.disk.state();
                let loses_power = state.random.chance(500);
                state.crash(loses_power);
            }
            _ => self.pass_time(course),
        }
    }

    /// Starts an attempt where none is going on.
    fn start(&self, course: &mut Course, slot: usize) {
        let mut slot = lock(&self.slots[slot]);
        if slot.is_some() {
            return;
        }
        course.attempts += 1;
        let (is_compaction, client) = {
            let mut state = self.disk.state();
            (state.random.chance(250), state.random.below(self.clients.len()))
        };
        let what = if is_compaction { "compaction".to_owned() } else { format!("client {client}") };
        self.tell(|| format!("attempt {}: {what}", course.attempts));
        *slot = Some(if is_compaction {
            Attempt::compact(course.attempts, course.sweeps)
        } else {
            Attempt::send(client, course.attempts, course.sweeps)
        });
    }

    /// Two sweeps have more time between them than an attempt takes.
    fn sweep(&self, course: &mut Course) {
        let is_too_soon = self.slots.iter().any(|slot| {
            lock(slot).as_ref().is_some_and(|attempt| attempt.sweeps_before < course.sweeps)
        });
        if is_too_soon {
            return;
        }
        course.sweeps += 1;
        let now = self.disk.state().now;
        let stores = Interrupted(self);
        let outcome = match self.sabotage() {
            Some(Sabotage::SweepWithoutAge) => sweep_badly(&stores, &|_| true),
            Some(Sabotage::SweepAtOnce) => sweep_badly(&stores, &|object| is_orphan(object, now)),
            _ => course.sweeper.sweep(&stores, &stores, now, &|_| Ok(true)),
        };
        self.tell(|| format!("sweep: {outcome:?}"));
        self.figures().swept += outcome.map_or(0, |sweep| sweep.moved.len() as u64);
    }

    fn remove_retired(&self) {
        let (now, retired) = {
            let state = self.disk.state();
            (state.now, state.model.retired.clone())
        };
        for (name, at) in retired {
            if now - at < GRACE {
                continue;
            }
            let outcome = self.disk.delete(&name).and_then(|()| self.disk.strike(&name));
            self.tell(|| format!("remove {name}: {outcome:?}"));
            if outcome.is_err() {
                return;
            }
        }
    }

    /// Minutes, or a jump of the clock, or, while no operation is under way, weeks.
    fn pass_time(&self, course: &mut Course) {
        let is_idle = self.slots.iter().all(|slot| lock(slot).is_none());
        let mut state = self.disk.state();
        let offset = state.now - course.real;
        let kind = state.random.below(10);
        let amount = i64::try_from(state.random.below(1000)).unwrap_or(0);
        if kind < 4 {
            let span = MAX_JUMP.num_minutes() * 2;
            let minutes = span * amount / 1000 - MAX_JUMP.num_minutes();
            state.now = course.real + TimeDelta::minutes(minutes);
            return;
        }
        let passed = if kind < 8 || !is_idle {
            TimeDelta::minutes(amount / 100)
        } else {
            TimeDelta::hours(amount * 2)
        };
        course.real += passed;
        state.now = course.real + offset;
    }

    /// What a process that has ended was about to do has no effect; the next one starts.
    fn restart_if_dead(&self, course: &mut Course) {
        if !self.disk.state().is_dead {
            return;
        }
        self.tell(|| "crash".to_owned());
        for slot in &self.slots {
            *lock(slot) = None;
        }
        course.sweeper = Sweeper::default();
        self.disk.state().is_dead = false;
    }

    fn check(&self, course: &Course) -> Result<(), String> {
        if let Some(broken) = lock(&self.broken).take() {
            return Err(broken);
        }
        let state = self.disk.state();
        let model = &state.model;
        if !model.sums_are_equal() {
            return Err(format!("the sums differ: {model:?}"));
        }
        if let Some(name) = model.needed().iter().find(|name| !state.objects.contains_key(*name)) {
            return Err(format!("{name} is live and does not exist"));
        }
        let mut records = BTreeMap::<u8, usize>::new();
        for client in model.live.keys().flat_map(|name| &state.objects[name].content) {
            *records.entry(*client).or_default() += 1;
        }
        let promises = lock(&self.promises);
        for client in &self.clients {
            let found = records.get(&client.number).copied().unwrap_or(0);
            let known = model.batches.get(&client.key);
            let expected = if known.is_some() { client.accepted.into() } else { 0 };
            if found > client.accepted.into()
                || (model.forgotten_rows + model.forgotten_batches == 0 && found != expected)
            {
                return Err(format!("client {}: {found} of {expected} records", client.number));
            }
            let age = course.real + MAX_JUMP * 2 - client.created_at;
            let may_be_forgotten = age > TimeDelta::days(limits::LEDGER_DAYS);
            if let Some(promise) = promises.get(&client.key)
                && known.map(|batch| &batch.answer) != Some(promise)
                && !(may_be_forgotten && known.is_none())
            {
                return Err(format!("the answer of client {} is lost", client.number));
            }
        }
        Ok(())
    }

    /// Lets everything heal: then everybody has an answer, and nothing is left over.
    fn end(&self, course: &mut Course) -> Result<(), String> {
        self.disk.state().fault_rate = 0;
        for client in 0..self.clients.len() {
            course.attempts += 1;
            self.finish_all();
            *lock(&self.slots[0]) = Some(Attempt::send(client, course.attempts, course.sweeps));
        }
        self.finish_all();
        self.check(course)?;
        for _ in 0..2 {
            course.real += MAX_JUMP * 2;
            self.disk.state().now = course.real;
            self.remove_retired();
            self.sweep(course);
            self.sweep(course);
        }
        self.check(course)?;
        let state = self.disk.state();
        let found: BTreeSet<&String> = state.objects.keys().collect();
        let needed = state.model.needed();
        if found != needed.iter().collect() {
            return Err(format!("{found:?} are left, {needed:?} are needed"));
        }
        let promises = lock(&self.promises);
        let is_young = |client: &&Client| {
            course.real - client.created_at < TimeDelta::days(limits::MAX_RECORD_AGE_DAYS)
        };
        let unanswered = self.clients.iter().filter(is_young);
        match unanswered.into_iter().find(|client| !promises.contains_key(&client.key)) {
            Some(client) => Err(format!("client {} has no answer", client.number)),
            None => Ok(()),
        }
    }

    fn finish_all(&self) {
        for slot in 0..self.slots.len() {
            while lock(&self.slots[slot]).is_some() {
                self.step_slot(slot);
            }
        }
    }
}

fn sweep_badly(
    stores: &Interrupted<'_, '_>,
    is_orphan: &dyn Fn(&ListedObject) -> bool,
) -> Result<Sweep, StoreError> {
    let mut orphans = only_unnamed(stores.list_all()?, stores)?;
    orphans.retain(is_orphan);
    for orphan in &orphans {
        stores.delete(&orphan.name)?;
    }
    Ok(Sweep { moved: orphans, ..Sweep::default() })
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
