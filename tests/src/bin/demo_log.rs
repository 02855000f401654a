//! Writes the files of `visibility logs report --demo`: `demo-log DIR`, from the root of the project with
//! `visibility-cli/demo/log`.

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use visibility_tests::demo_log::{self, DemoLog};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: demo-log DIR")?);
    fs::create_dir_all(&folder)?;
    let DemoLog { log, robots, sitemap, ranges } = demo_log::render();
    let file = File::create(folder.join("access.log.gz"))?;
    let mut gzip = GzEncoder::new(file, Compression::best());
    gzip.write_all(log.as_bytes())?;
    gzip.finish()?;
    for (name, text) in [("robots.txt", robots), ("sitemap.xml", sitemap), ("ranges.json", ranges)]
    {
        fs::write(folder.join(name), text)?;
    }
    Ok(())
}
