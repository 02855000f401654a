//! The commands in the documents are those of the program, and the output beside them is what it prints.

mod november;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use visibility_tests::program::program;

use super::program::{Folder, Run, command, finish, run_with_input};

/// How the README starts the program before it is installed.
const FROM_SOURCE: &str = "cargo run --release -p visibility-cli -- ";

/// A command of a document, with the output that the document shows below it.
#[derive(Debug)]
struct Example {
    place: String,
    command: String,
    output: Vec<String>,
}

/// The commands in the `console` blocks of a document.
fn examples(path: &Path) -> Vec<Example> {
    let text = fs::read_to_string(path).unwrap();
    let mut examples: Vec<Example> = Vec::new();
    let mut is_console = false;
    let mut is_continued = false;
    for (index, line) in text.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            (is_console, is_continued) = (language == "console", false);
        } else if !is_console {
        } else if let Some(start) = line.strip_prefix("$ ") {
            let place = format!("{}:{}", path.display(), index + 1);
            examples.push(Example { place, command: start.to_owned(), output: Vec::new() });
            is_continued = start.ends_with('\\');
        } else if let Some(example) = examples.last_mut() {
            if is_continued {
                is_continued = line.ends_with('\\');
                example.command =
                    format!("{} {}", example.command.trim_end_matches('\\'), line.trim());
            } else {
                example.output.push(line.to_owned());
            }
        }
    }
    examples
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let docs = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut documents: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect();
    documents.extend(["README.md", "CONTRIBUTING.md"].map(|name| root.join(name)));
    documents
}

/// The arguments of one of the programs, without what the shell does with its output.
fn arguments(command: &str, name: &str) -> Option<Vec<String>> {
    let command = command
        .strip_prefix(FROM_SOURCE)
        .map_or_else(|| command.to_owned(), |arguments| format!("visibility {arguments}"));
    let command = command.split(" #").next().unwrap_or_default();
    let (before, rest) = command.split_once(&format!("{name} "))?;
    if !before.is_empty() && !before.ends_with([' ', '/', '|', '(', '$']) {
        return None;
    }
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for ch in rest.chars() {
        match quote {
            Some(mark) if ch == mark => quote = None,
            None if "'\"".contains(ch) => quote = Some(ch),
            None if "|<>&;)".contains(ch) => break,
            None if ch.is_whitespace() => words.extend(Some(std::mem::take(&mut word))),
            _ => word.push(ch),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    Some(words)
}

/// What `echo` or `printf` writes into the pipe before a program.
fn piped_input(command: &str) -> Option<String> {
    let (writer, rest) = command.split_once(" '")?;
    let (text, _) = rest.split_once("' | ")?;
    match writer {
        "echo" => Some(format!("{text}\n")),
        "printf" => Some(text.replace("\\n", "\n")),
        _ => None,
    }
}

/// Asserts that the lines of a document are the printed ones. `…` means any lines, and at the end of
/// a line for the rest of it.
fn assert_output(example: &Example, run: &Run) {
    let printed = format!("{}{}", run.stdout, run.stderr);
    let mut rest = printed.lines().skip_while(|line| line.is_empty()).peekable();
    let mut skips = false;
    let shown = example.output.iter().skip_while(|line| line.is_empty());
    for line in shown {
        if line.trim() == "…" {
            skips = true;
            continue;
        }
        let matches = |printed: &str| match line.strip_suffix('…') {
            Some(start) => printed.starts_with(start),
            None => printed == line,
        };
        let found = if skips { rest.by_ref().find(|line| matches(line)) } else { rest.next() };
        assert!(
            found.is_some_and(matches),
            "{}: `{line}` is not the next line of `{}`:\n{printed}",
            example.place,
            example.command
        );
        skips = false;
    }
    assert!(skips || rest.all(str::is_empty), "{}: there is more:\n{printed}", example.place);
}

#[test]
fn output_in_the_documents_is_what_the_program_prints() {
    let folder = Folder::new();
    let records = [
        r#"{"timestamp":"2026-11-24T09:12:44Z","user_agent":"Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)","request_method":"GET","request_path":"/pricing","status_code":200,"response_bytes":5123,"referrer":"","host":"www.example.com","client_ip_hash":"9f86d081884c7d659a2feaa0"}"#,
        r#"{"timestamp":"2026-11-24T09:12:45Z","user_agent":"curl/8.5.0","request_method":"GET","request_path":"/","status_code":200,"response_bytes":5123,"referrer":"","host":"www.example.com","client_ip_hash":"9f86d081884c7d659a2feaa0"}"#,
    ];
    folder.file("access.ndjson", records.join("\n"));
    let lines = [
        r#"203.0.113.7 - - [24/Nov/2026:09:12:44 +0000] "GET /pricing?plan=pro HTTP/1.1" 200 5123 "-" "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)""#,
        r#"203.0.113.8 - - [24/Nov/2026:09:12:45 +0000] "GET / HTTP/1.1" 200 5123 "-" "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0""#,
        r#"203.0.113.9 - - [24/Nov/2026:09:12:46 +0000] "\x16\x03\x01" 400 157 "-" "-""#,
        r#"203.0.113.7 - - [24/Nov/2026:09:12:47 +0000] "GET /account?token=abc HTTP/1.1" 302 0 "-" "Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)""#,
    ];
    folder.file("access.log", format!("{}\n", lines.join("\n")));
    folder.file("november.log", november::log());
    folder.file("sitemap.xml", november::sitemap());
    folder.file("ranges.json", november::ranges());
    folder.secret_file("key", "a key of the source of logs");
    let rules = "User-agent: *\nAllow: /\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /\n";
    folder.file("robots.txt", rules);
    let mut compared = 0;
    for example in documents().iter().flat_map(|path| examples(path)) {
        let Some(arguments) = arguments(&example.command, "visibility") else { continue };
        if example.output.iter().all(String::is_empty) {
            continue;
        }
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        if arguments.starts_with(&["logs", "validate"])
            || arguments.starts_with(&["logs", "filter"])
            || arguments.starts_with(&["logs", "report"])
        {
            arguments.extend(["--now", "2026-11-25T00:00:00Z"]);
        }
        let run = if let Some(input) = piped_input(&example.command) {
            run_with_input(&arguments, input)
        } else {
            let mut command = command(&arguments);
            command.current_dir(folder.all()).stdout(Stdio::piped()).stderr(Stdio::piped());
            finish(command.spawn())
        };
        assert_output(&example, &run);
        compared += 1;
    }
    assert!(compared >= 9, "{compared}");
}

#[test]
fn commands_in_the_documents_have_arguments_that_the_programs_take() {
    let mut checked = 0;
    for name in ["visibility", "visibility-server"] {
        for example in documents().iter().flat_map(|path| examples(path)) {
            let Some(mut arguments) = arguments(&example.command, name) else { continue };
            // With an unknown command or flag before it, `--help` is an error.
            arguments.push("--help".to_owned());
            let output = Command::new(program(name)).args(&arguments).output().unwrap();
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {arguments:?}: {message}", example.place);
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked}");
}

/// The commands in the help of a program, with what they do.
fn listed_commands(name: &str) -> Vec<(String, String)> {
    let output = Command::new(program(name)).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in list.lines().take_while(|line| !line.is_empty()) {
        match line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) {
            Some(entry) => {
                let (command, about) = entry.split_once(' ').unwrap();
                commands.push((command.to_owned(), about.trim().to_owned()));
            }
            None => commands.last_mut().unwrap().1.push_str(&format!(" {}", line.trim())),
        }
    }
    commands.retain(|(command, _)| command != "help");
    commands
}

#[test]
fn the_tables_of_commands_are_the_help_of_the_programs() {
    for (name, document) in [("visibility", "cli.md"), ("visibility-server", "server.md")] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(document);
        let text = fs::read_to_string(path).unwrap();
        let (_, section) = text.split_once("\n## Commands\n").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let rows: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
        let commands = listed_commands(name);
        let expected: Vec<String> =
            commands.iter().map(|(command, about)| format!("| `{command}` | {about} |")).collect();
        assert_eq!(rows, expected, "{document}");
    }
}
