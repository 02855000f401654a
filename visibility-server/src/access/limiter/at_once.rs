//! How much of one stranger may run and wait at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::subject::Subject;

/// The works of subjects that have any.
#[derive(Debug)]
pub(crate) struct AtOnce {
    limit: u32,
    works: Works,
}

type Works = Arc<Mutex<HashMap<Subject, u32>>>;

/// A work that runs or waits, until this is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Running(Option<(Works, Subject)>);

impl AtOnce {
    /// So many works of one subject at the most; 0 for any number.
    pub(crate) fn new(limit: u32) -> Self {
        Self { limit, works: Works::default() }
    }

    /// Takes one more work of a subject on.
    ///
    /// # Errors
    ///
    /// How many there may be, when there are as many.
    pub(crate) fn enter(&self, subject: &Subject) -> Result<Running, u32> {
        if self.limit == 0 {
            return Ok(Running(None));
        }
        let mut works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
        let running = works.get(subject).copied().unwrap_or_default();
        if running >= self.limit {
            return Err(self.limit);
        }
        works.insert(subject.clone(), running + 1);
        Ok(Running(Some((Arc::clone(&self.works), subject.clone()))))
    }
}

impl Drop for Running {
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
        let at_once = AtOnce::new(2);
        let subject = |name: &str| Subject::stranger(format!("address/{name}"));
        let first = at_once.enter(&subject("a")).unwrap();
        let second = at_once.enter(&subject("a")).unwrap();
        assert_eq!(at_once.enter(&subject("a")).unwrap_err(), 2);
        let other = at_once.enter(&subject("b")).unwrap();
        drop(first);
        let third = at_once.enter(&subject("a")).unwrap();
        assert!(at_once.enter(&subject("a")).is_err());
        drop((second, third, other));
        assert!(at_once.works.lock().unwrap().is_empty());
    }

    #[test]
    fn a_limit_of_zero_counts_nothing() {
        let at_once = AtOnce::new(0);
        let subject = Subject::stranger("address/a".to_owned());
        let running: Vec<Running> = (0..100).map(|_| at_once.enter(&subject).unwrap()).collect();
        assert_eq!(running.len(), 100);
        assert!(at_once.works.lock().unwrap().is_empty());
    }
}
