//! Replays a recorded scan and prints its report in Turkish.
//!
//! `visibility scan example.com --record folder`, then
//! `cargo run -p visibility-examples --bin turkish-report -- folder/example.com`
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::error::Error;
use std::path::PathBuf;

use visibility_core::report;
use visibility_core::scan;
use visibility_core::scan::recording::{Recording, Replay};
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::text::locale::Lang;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: turkish-report FOLDER")?);
    let recording = Recording::from_files(|name| std::fs::read(folder.join(name)))?;
    let site = scan::scan(&Replay::new(&recording), &recording.request).await?;
    let result = ScanReport::evaluate(&site, &Selection::all()).result(Lang::Tr);
    println!("{}", report::markdown::render(&result));
    Ok(())
}
