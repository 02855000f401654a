//! What the service runs on: clock, randomness, threads, queues, and points where a test lets it fail.

pub(crate) mod bounded_semaphore;
pub(crate) mod clock;
pub mod fault;
pub(crate) mod random;
pub(crate) mod workers;
