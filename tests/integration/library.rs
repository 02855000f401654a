//! Tests of the library: no network, and no program but a parser that answers beside ours.

mod audit;
mod repository;
mod robots;
mod scan;
