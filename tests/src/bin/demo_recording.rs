//! Prints `visibility-cli/demo/recording.json`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

fn main() {
    print!("{}", visibility_tests::demo::render());
}
