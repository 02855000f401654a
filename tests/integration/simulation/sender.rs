//! One attempt to have a batch published or files compacted, step by step: between two steps, and
//! within the commit, everybody else may do theirs.

use std::collections::BTreeSet;
use std::io::Write as _;

use chrono::{DateTime, TimeDelta, Utc};
use visibility_core::accounts::tenant::{BatchKey, TenantSlug};
use visibility_core::limits;
use visibility_core::store::Counts;
use visibility_core::store::commit::{Committed, StagedObjects};
use visibility_core::store::sums::RollupRow;
use visibility_core::store::{
    Ledger as _, NewFile, ObjectWriter, Objects as _, Publication, ResponseBody, StoreError,
    StoredObject, StoredResponse,
};
use visibility_tests::contract::sums_of;

use super::Sabotage;
use super::disk::State;
use super::interrupted::Interrupted;
use super::model::LiveFile;
use super::world::Simulation;

/// A sender and its only batch.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) number: u8,
    pub(crate) key: BatchKey,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) accepted: u8,
    pub(crate) has_large_answer: bool,
}

/// What an attempt is for.
enum Job {
    Send { client: usize, publication: Option<Box<Publication>> },
    Compact(Option<Compaction>),
}

/// Live files of a tenant, and what is in them.
struct Compaction {
    tenant: TenantSlug,
    retire: Vec<String>,
    content: Vec<u8>,
    newest: DateTime<Utc>,
}

pub(crate) struct Attempt<'d> {
    job: Job,
    step: u8,
    /// Tells this attempt from all others.
    number: u64,
    /// Sweeps before it.
    pub(crate) sweeps_before: u64,
    staged: Option<StagedObjects<'d>>,
    writer: Option<Box<dyn ObjectWriter>>,
}

/// Whether an attempt has more steps.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Progress {
    More,
    Over,
}

impl<'d> Attempt<'d> {
    pub(crate) fn send(client: usize, number: u64, sweeps_before: u64) -> Self {
        Self::new(Job::Send { client, publication: None }, number, sweeps_before)
    }

    pub(crate) fn compact(number: u64, sweeps_before: u64) -> Self {
        Self::new(Job::Compact(None), number, sweeps_before)
    }

    fn new(job: Job, number: u64, sweeps_before: u64) -> Self {
        Self { job, step: 0, number, sweeps_before, staged: None, writer: None }
    }

    /// Takes one step. What fails ends the attempt.
    pub(crate) fn advance(&mut self, world: &Simulation<'d>) -> Progress {
        let step = self.step;
        self.step += 1;
        let outcome = match self.job {
            Job::Send { client, .. } => self.advance_send(world, client, step),
            Job::Compact(_) => self.advance_compaction(world, step),
        };
        world.tell(|| format!("attempt {} step {step}: {outcome:?}", self.number));
        outcome.unwrap_or(Progress::Over)
    }

    fn advance_send(
        &mut self,
        world: &Simulation<'d>,
        client: usize,
        step: u8,
    ) -> Result<Progress, StoreError> {
        let client = &world.clients[client];
        let finishes_first = world.sabotage() != Some(Sabotage::PublishBeforeFinish);
        match step {
            0 => return self.look_up(world, client),
            1 => {
                self.staged = Some(StagedObjects::new(world.disk));
                self.create(world, &format!("data/{}", self.number))?;
                self.write(&vec![client.number; client.accepted.into()])?;
            }
            2 if finishes_first => self.finish()?,
            3 if client.has_large_answer && finishes_first => {
                self.create(world, &format!("answers/{}", self.number))?;
                self.write(b"answer")?;
            }
            4 if client.has_large_answer && finishes_first => self.finish()?,
            5 => return self.commit(world, client),
            6 => {
                self.finish()?;
                return Ok(Progress::Over);
            }
            _ => {}
        }
        Ok(Progress::More)
    }

    fn look_up(&mut self, world: &Simulation<'d>, client: &Client) -> Result<Progress, StoreError> {
        if let Some(answer) = world.disk.response(&client.key)? {
            world.answered(client, &Committed { response: answer, is_replay: true });
            return Ok(Progress::Over);
        }
        let now = world.disk.state().now;
        if now - client.created_at > TimeDelta::days(limits::MAX_RECORD_AGE_DAYS) {
            return Ok(Progress::Over);
        }
        let publication = Box::new(self.publication(client, now));
        self.job = Job::Send { client: client.number.into(), publication: Some(publication) };
        Ok(Progress::More)
    }

    /// No two attempts have the same answer, so that one that is computed again is noticed.
    fn publication(&self, client: &Client, now: DateTime<Utc>) -> Publication {
        let accepted = u64::from(client.accepted);
        let micros = client.created_at.timestamp_micros();
        let body = if client.has_large_answer {
            ResponseBody::Object(StoredObject {
                name: format!("answers/{}", self.number),
                digest: None,
            })
        } else {
            ResponseBody::Inline(self.number.to_be_bytes().to_vec())
        };
        let rollup = RollupRow {
            day: client.created_at.date_naive(),
            agent: "gptbot".to_owned(),
            host: "a.example".to_owned(),
            status: 200,
            records: accepted,
            bytes: 0,
        };
        Publication {
            key: client.key.clone(),
            received_at: now,
            response: StoredResponse {
                counts: Counts { received: accepted, accepted, rejected: 0 },
                body,
            },
            file: Some(NewFile {
                name: format!("data/{}", self.number),
                partial: None,
                rows: accepted,
                bytes: accepted,
                min_timestamp_micros: micros,
                max_timestamp_micros: micros,
                ..NewFile::default()
            }),
            sums: sums_of(vec![rollup], now.date_naive(), 0),
        }
    }

    fn commit(&mut self, world: &Simulation<'d>, client: &Client) -> Result<Progress, StoreError> {
        let Job::Send { publication: Some(publication), .. } = &self.job else {
            return Ok(Progress::Over);
        };
        let Some(staged) = self.staged.take() else { return Ok(Progress::Over) };
        let committed = staged.commit(&Interrupted(world), publication)?;
        world.answered(client, &committed);
        if world.sabotage() == Some(Sabotage::PublishBeforeFinish) && !committed.is_replay {
            return Ok(Progress::More);
        }
        Ok(Progress::Over)
    }

    fn advance_compaction(
        &mut self,
        world: &Simulation<'d>,
        step: u8,
    ) -> Result<Progress, StoreError> {
        match step {
            0 => {
                let Some(compaction) = choose_files(world)? else { return Ok(Progress::Over) };
                self.job = Job::Compact(Some(compaction));
            }
            1 => {
                let Job::Compact(Some(compaction)) = &self.job else { return Ok(Progress::Over) };
                let content = compaction.content.clone();
                self.staged = Some(StagedObjects::new(world.disk));
                self.create(world, &format!("merged/{}", self.number))?;
                self.write(&content)?;
            }
            2 => self.finish()?,
            _ => return self.replace(world),
        }
        Ok(Progress::More)
    }

    fn replace(&mut self, world: &Simulation<'d>) -> Result<Progress, StoreError> {
        let Job::Compact(Some(Compaction { tenant, retire, content, newest })) = &self.job else {
            return Ok(Progress::Over);
        };
        let Some(staged) = self.staged.take() else { return Ok(Progress::Over) };
        if world.sabotage() == Some(Sabotage::DeleteBeforeRetired) {
            for name in retire {
                world.disk.delete(name)?;
            }
        }
        let file = LiveFile { tenant: tenant.clone(), rows: content.len() as u64, newest: *newest };
        staged.publish(|| {
            world.interrupt();
            let outcome = world.disk.replace(retire, &format!("merged/{}", self.number), file);
            world.interrupt();
            outcome
        })?;
        world.figures().compactions += 1;
        Ok(Progress::Over)
    }

    fn create(&mut self, world: &Simulation<'d>, name: &str) -> Result<(), StoreError> {
        let staged = self.staged.get_or_insert_with(|| StagedObjects::new(world.disk));
        self.writer = Some(staged.create(name)?);
        Ok(())
    }

    fn write(&mut self, content: &[u8]) -> Result<(), StoreError> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.write_all(content).map_err(|error| StoreError::io("write", error))
    }

    fn finish(&mut self) -> Result<(), StoreError> {
        self.writer.take().map_or(Ok(0), ObjectWriter::finish).map(|_| ())
    }
}

/// Two live files of a tenant or more.
fn choose_files(world: &Simulation<'_>) -> Result<Option<Compaction>, StoreError> {
    let (tenant, chosen): (_, Vec<(String, DateTime<Utc>)>) = {
        let mut state = world.disk.state();
        let State { random, model, .. } = &mut *state;
        let tenants: BTreeSet<_> = model.live.values().map(|file| &file.tenant).collect();
        if tenants.is_empty() {
            return Ok(None);
        }
        let index = random.below(tenants.len());
        let tenant = tenants.into_iter().nth(index).cloned();
        let files = model.live.iter().filter(|(_, file)| Some(&file.tenant) == tenant.as_ref());
        let files = files.filter(|_| random.chance(600));
        let chosen = files.map(|(name, file)| (name.clone(), file.newest)).collect();
        (tenant, chosen)
    };
    let Some(tenant) = tenant.filter(|_| chosen.len() >= 2) else { return Ok(None) };
    let mut content = Vec::new();
    for (name, _) in &chosen {
        content.extend(world.disk.read(name)?);
    }
    let newest = chosen.iter().map(|(_, newest)| *newest).max().unwrap_or_default();
    let retire = chosen.into_iter().map(|(name, _)| name).collect();
    Ok(Some(Compaction { tenant, retire, content, newest }))
}
