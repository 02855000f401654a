//! Writes pages for `tests/benches/audit.sh`: `write-pages FOLDER COUNT`. The first one has 350 KB.
#![expect(clippy::expect_used, reason = "there is nothing else to do if a page cannot be written")]

use std::{env, fs, path::PathBuf};

use visibility_tests::pages;

fn main() {
    let mut arguments = env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("a folder"));
    let count: usize = arguments.next().expect("a count").parse().expect("a number");
    fs::create_dir_all(folder.join("many")).expect("a folder to write to");
    fs::write(folder.join("large.html"), pages::large_product(350_000)).expect("a page");
    fs::write(folder.join("product.html"), pages::product()).expect("a page");
    fs::write(folder.join("shell.html"), pages::shell()).expect("a page");
    for number in 0..count {
        let page = pages::shop(number);
        fs::write(folder.join(format!("many/{number:05}.html")), page).expect("a page");
    }
}
