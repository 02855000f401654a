//! `visibility-server`.

fn main() {}
