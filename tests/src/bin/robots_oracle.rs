//! Google's robots.txt matcher behind a pipe: a JSON line in, a verdict out.
//!
//! The port panics on some files and never ends on others, so it lives in a process that can be
//! killed.

use std::io::{BufRead, Write};
use std::panic::catch_unwind;

use robotstxt::DefaultMatcher;

fn main() -> std::io::Result<()> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let case: [String; 3] = serde_json::from_str(&line?)?;
        let verdict = catch_unwind(|| {
            let [robots, agent, url] = &case;
            DefaultMatcher::default().one_agent_allowed_by_robots(robots, agent, url)
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
