//! Parses an HTML file and does nothing else: the floor of an audit. `bare-parse FILE`
#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "printing is what it is for, and without a file there is nothing to print"
)]

use std::{env, fs};

use scraper::Html;

fn main() {
    let path = env::args().nth(1).expect("a file");
    let text = String::from_utf8(fs::read(path).expect("a readable file")).expect("UTF-8");
    println!("{}", Html::parse_document(&text).tree.nodes().count());
}
