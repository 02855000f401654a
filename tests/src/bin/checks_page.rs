//! Prints `docs/checks.md`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

fn main() {
    print!("{}", visibility_tests::checks_page::render());
}
