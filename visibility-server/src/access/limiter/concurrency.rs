//! Limits how many jobs of one anonymous client run and wait at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::subject::Subject;

/// The works of subjects that have any.
#[derive(Debug)]
pub(crate) struct ConcurrencyLimit {
    limit: u32,
    works: RunningCounts,
}

type RunningCounts = Arc<Mutex<HashMap<Subject, u32>>>;

/// A work that runs or waits, until this is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct ConcurrencyPermit(Option<(RunningCounts, Subject)>);

impl ConcurrencyLimit {
    /// So many works of one subject at the most; 0 for any number.
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit, works: RunningCounts::default() }
    }

    /// Takes one more work of a subject on.
    ///
    /// # Errors
    ///
    /// How many there may be, when there are as many.
    pub(crate) fn acquire(&self, subject: &Subject) -> Result<ConcurrencyPermit, u32> {
        if self.limit == 0 {
            return Ok(ConcurrencyPermit(None));
        }
        let mut works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
        let running = works.get(subject).copied().unwrap_or_default();
        if running >= self.limit {
            return Err(self.limit);
        }
        works.insert(subject.clone(), running + 1);
        Ok(ConcurrencyPermit(Some((Arc::clone(&self.works), subject.clone()))))
    }
}

impl Drop for ConcurrencyPermit {
    fn drop(&mut self) {
        let Some((works, subject)) = self.0.take() else { return };
        let mut works = works.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = works.remove(&subject).unwrap_or_default().saturating_sub(1);
        if rest > 0 {
            works.insert(subject, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_too_many_is_refused_until_another_ends() {
        let at_once = ConcurrencyLimit::new(2);
        let subject = |name: &str| Subject::anonymous(format!("address/{name}"));
        let first = at_once.acquire(&subject("a")).unwrap();
        let second = at_once.acquire(&subject("a")).unwrap();
        assert_eq!(at_once.acquire(&subject("a")).unwrap_err(), 2);
        let other = at_once.acquire(&subject("b")).unwrap();
        drop(first);
        let third = at_once.acquire(&subject("a")).unwrap();
        assert!(at_once.acquire(&subject("a")).is_err());
        drop((second, third, other));
        assert!(at_once.works.lock().unwrap().is_empty());
    }

    #[test]
    fn a_limit_of_zero_counts_nothing() {
        let at_once = ConcurrencyLimit::new(0);
        let subject = Subject::anonymous("address/a".to_owned());
        let running: Vec<ConcurrencyPermit> =
            (0..100).map(|_| at_once.acquire(&subject).unwrap()).collect();
        assert_eq!(running.len(), 100);
        assert!(at_once.works.lock().unwrap().is_empty());
    }
}
