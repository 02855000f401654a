//! Inflates a gzip file and counts its bytes: the floor that validation is measured against.

use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};

use flate2::read::MultiGzDecoder;

/// Bytes inflated at a time, as `visibility` does it.
const CHUNK: usize = 64 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: bare-inflate FILE.gz")?;
    let mut inflated =
        MultiGzDecoder::new(std::io::BufReader::with_capacity(CHUNK, File::open(path)?));
    let mut chunk = vec![0; CHUNK];
    let mut bytes = 0;
    loop {
        match inflated.read(&mut chunk)? {
            0 => break,
            count => bytes += count,
        }
    }
    writeln!(std::io::stdout(), "{bytes}")?;
    Ok(())
}
