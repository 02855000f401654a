//! The process that runs Google's parser.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use visibility_tests::wait::LEEWAY;

use super::Case;

/// The answer to a question, or why there is none.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Whether the URL is allowed.
    Verdict(bool),
    /// The parser panicked.
    Panicked,
    /// The parser did not end, and was killed.
    Hung,
}

/// A running oracle; a new one is started when it hangs.
#[derive(Debug)]
pub(crate) struct Oracle {
    child: Child,
    questions: ChildStdin,
    answers: Receiver<String>,
}

impl Oracle {
    pub(crate) fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_robots_oracle"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let questions = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, questions, answers }
    }

    pub(crate) fn ask(&mut self, case: &Case) -> Reply {
        writeln!(self.questions, "{}", serde_json::to_string(case).unwrap()).unwrap();
        match self.answers.recv_timeout(LEEWAY).as_deref() {
            Ok("allowed") => Reply::Verdict(true),
            Ok("blocked") => Reply::Verdict(false),
            Ok(_) => Reply::Panicked,
            Err(_) => {
                *self = Self::start();
                Reply::Hung
            }
        }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
