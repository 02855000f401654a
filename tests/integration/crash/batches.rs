//! The batches: what is sent, what must be counted, and what was answered first.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use chrono::Utc;
use serde_json::Value;
use visibility_tests::logs::{Bad, LogPlan, Truth, log};
use visibility_tests::random::Random;

/// A batch with a fixed id.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) tenant: &'static str,
    pub(crate) token: String,
    pub(crate) id: String,
    pub(crate) body: Vec<u8>,
    truth: Truth,
    first: OnceLock<Answer>,
}

/// An answer that counts: 202 or 207.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Batch {
    /// Takes an answer: the first must be right, all others the same to the last byte.
    pub(crate) fn take(&self, answer: &Answer) {
        let first = self.first.get_or_init(|| answer.clone());
        assert!(first == answer, "{}: the answer changed from {first:?} to {answer:?}", self.id);
        let body: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
        let numbers = ["received", "accepted", "rejected"].map(|name| body[name].as_u64());
        let Truth { received, accepted, rejected, .. } = self.truth;
        assert_eq!(numbers, [received, accepted, rejected].map(Some), "{}", self.id);
        assert_eq!(body["batch_id"], self.id.as_str());
        assert_eq!(answer.status, if rejected == 0 { 202 } else { 207 }, "{}", self.id);
        let listed = body["rejections"].as_array().map_or(0, Vec::len);
        assert_eq!(listed as u64, rejected, "{}", self.id);
    }

    /// Whether its sender knows what became of it.
    pub(crate) fn is_answered(&self) -> bool {
        self.first.get().is_some()
    }
}

/// All batches so far.
#[derive(Debug)]
pub(crate) struct Batches {
    tokens: BTreeMap<String, String>,
    all: Vec<Arc<Batch>>,
}

impl Batches {
    /// No batches yet; they will be sent with these tokens of tenants.
    pub(crate) fn new(tokens: BTreeMap<String, String>) -> Self {
        Self { tokens, all: Vec::new() }
    }

    /// Makes up one more. Some have an answer too long for the ledger, and some have nothing to keep.
    pub(crate) fn make(&mut self, tenant: &'static str, random: &mut Random) -> Arc<Batch> {
        let (records, bad) = match random.below(8) {
            0 => (400, Bad::All),
            1 => (1 + u64::from(random.below(5)), Bad::None),
            _ => (20 + u64::from(random.below(200)), Bad::Some),
        };
        let plan = LogPlan { records, seed: random.number(), now: Utc::now(), bad };
        let (body, truth) = log(&plan);
        let (high, low) = (random.number(), random.number());
        let id = format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 52,
            low & 0xffff_ffff_ffff
        );
        let token = self.tokens[tenant].clone();
        let batch = Arc::new(Batch { tenant, token, id, body, truth, first: OnceLock::new() });
        self.all.push(Arc::clone(&batch));
        batch
    }

    /// One that was answered, if there is any.
    pub(crate) fn answered(&self, random: &mut Random) -> Option<Arc<Batch>> {
        let batch = (!self.all.is_empty()).then(|| random.pick(&self.all))?;
        batch.is_answered().then(|| Arc::clone(batch))
    }

    /// All, each once.
    pub(crate) fn all(&self) -> impl Iterator<Item = Arc<Batch>> {
        self.all.iter().map(Arc::clone)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Batch> {
        self.all.iter().map(Arc::as_ref)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The records of a tenant whose acceptance was confirmed to the senders.
    pub(crate) fn accepted(&self, tenant: &str) -> u64 {
        let answered = self.iter().filter(|batch| batch.tenant == tenant && batch.is_answered());
        answered.map(|batch| batch.truth.accepted).sum()
    }
}
