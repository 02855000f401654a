//! What an answer promises on a disk: the real binary under `strace`, on a disk without room and on
//! one that cannot be written.

#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test stops where something is not as it should be, and says why it is skipped"
)]

mod no_room;
mod service;
mod syncs;
