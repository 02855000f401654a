//! What the service runs on: clock, randomness, threads, queues, and fault points for tests.

pub(crate) mod bounded_semaphore;
pub(crate) mod clock;
pub(crate) mod fair_queue;
pub mod fault;
pub(crate) mod random;
pub(crate) mod uptime;
pub(crate) mod workers;
