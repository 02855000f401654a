//! Prints `docs/signals.md`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

fn main() {
    print!("{}", visibility_tests::signals_page::render());
}
