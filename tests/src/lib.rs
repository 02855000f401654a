//! What the tests share: fixture sites, real servers and proxies.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "helpers of tests: a broken fixture should stop the test"
)]

pub mod authority;
pub mod bucket;
pub mod checks_page;
pub mod clickhouse;
pub mod client;
pub mod closed_port;
pub mod conformance;
pub mod contract;
pub mod database;
pub mod delta;
pub mod demo;
pub mod demo_log;
pub mod documents;
pub mod embedded_pages;
pub mod features_table;
pub mod fixes;
pub mod free_port;
pub mod generated;
pub mod hidden_demands;
pub mod honest;
pub mod hostile;
pub mod injection;
pub mod labelled;
pub mod logistic;
pub mod logs;
pub mod pages;
pub mod program;
pub mod proxy;
pub mod random;
pub mod server;
pub mod signals_page;
pub mod site;
pub mod tls;
pub mod translated;
pub mod typical;
pub mod vectors;
pub mod wait;
