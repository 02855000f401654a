//! Google's robots.txt parser behind a pipe: a JSON line in, a verdict out.
//!
//! The port panics on some files, so it lives in a process of its own. Its wildcards are wrong: once
//! a character is found, later places are not tried, so that `/*ab` misses `/aab`. They are replaced
//! by the algorithm of the C++ library: all places that a prefix of the pattern can reach.

use std::io::{BufRead, Write};
use std::panic::catch_unwind;

use robotstxt::matcher::{RobotsMatchStrategy, RobotsMatcher};

fn main() -> std::io::Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let case: [String; 3] = serde_json::from_str(&line?)?;
        let verdict = catch_unwind(|| {
            let [robots, agent, url] = &case;
            let mut matcher = RobotsMatcher::<AllPlaces>::default();
            matcher.one_agent_allowed_by_robots(robots, agent, url)
        });
        let word = match verdict {
            Ok(true) => "allowed",
            Ok(false) => "blocked",
            Err(_) => "panicked",
        };
        writeln!(output, "{word}")?;
        output.flush()?;
    }
    Ok(())
}

/// Matches a pattern by following every place that its bytes so far can end at.
#[derive(Default)]
struct AllPlaces;

impl RobotsMatchStrategy for AllPlaces {
    fn match_allow(&self, path: &str, pattern: &str) -> i32 {
        priority(path.as_bytes(), pattern.as_bytes())
    }

    fn match_disallow(&self, path: &str, pattern: &str) -> i32 {
        priority(path.as_bytes(), pattern.as_bytes())
    }
}

/// The length of the pattern if it matches, else -1.
fn priority(path: &[u8], pattern: &[u8]) -> i32 {
    let mut places = vec![0];
    let mut rest = pattern;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        places = match byte {
            b'$' if rest.is_empty() => places.into_iter().filter(|at| *at == path.len()).collect(),
            b'*' => places.first().map_or_else(Vec::new, |first| (*first..=path.len()).collect()),
            _ => {
                let next = places.iter().filter(|at| path.get(**at) == Some(&byte));
                next.map(|at| at + 1).collect()
            }
        };
    }
    if places.is_empty() { -1 } else { i32::try_from(pattern.len()).unwrap_or(i32::MAX) }
}
