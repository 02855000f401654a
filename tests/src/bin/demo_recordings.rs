//! Writes the recorded sites of `--demo`: `demo-recordings FILE`, from the root of the project with
//! `visibility-core/demo/sites.json.gz`.

use std::error::Error;
use std::fs::File;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: demo-recordings FILE")?;
    let mut gzip = GzEncoder::new(File::create(file)?, Compression::best());
    gzip.write_all(visibility_tests::demo::render().as_bytes())?;
    gzip.finish()?;
    Ok(())
}
