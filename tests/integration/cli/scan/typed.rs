//! What people type or paste, and what comes back.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;
use visibility_tests::server::{FixtureServer, Hosts};
use visibility_tests::site::{Reply, Site, good, good_home};

use crate::cli::program::{Folder, mixed, recorded, run, run_with_input};

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect(text)
}

#[test]
fn the_host_of_a_pasted_url_is_scanned() {
    let folder = recorded(&mixed());
    let all = folder.all();
    let scan = |text: &str| run(&["scan", text, "--replay", &all, "--format", "json"]);
    for (text, note) in [
        ("https://shop.example.com/a?b", "`visibility audit https://shop.example.com/a?b`"),
        ("shop.example.com/a", "`visibility audit https://shop.example.com/a`"),
        ("http://Shop.Example.com", "scanning shop.example.com, the host of"),
        ("shop.example.com/", "scanning shop.example.com, the host of"),
    ] {
        let run = scan(text);
        assert_eq!(run.code, Some(0), "{text}: {}", run.stderr);
        assert_eq!(json(&run.stdout)["domain"], "shop.example.com", "{text}");
        assert_eq!(run.stderr.lines().count(), 1, "{text}: {}", run.stderr);
        assert!(run.stderr.contains(note), "{text}: {}", run.stderr);
    }
    for (text, part) in [("https://u:p@shop.example.com/", "u:p@"), ("ftp://a.com/", "ftp")] {
        let run = scan(text);
        assert_eq!(run.code, Some(2), "{text}: {}", run.stderr);
        assert_eq!(json(&run.stdout)["error"]["code"], "INVALID_DOMAIN", "{part}");
    }
    let failed = scan("https://Gone.Example.com./x");
    assert_eq!(json(&failed.stdout)["domain"], "gone.example.com", "{}", failed.stdout);
}

#[test]
fn lists_have_comments_columns_and_duplicates() {
    let folder = Folder::new();
    for host in ["a.example.com", "b.example.com", "c.example.com"] {
        folder.record(&good(host));
    }
    let list = "\u{feff}rank,domain\r\n1,a.example.com\r\n\"2\",\"b.example.com\"\r\n\
                https://A.example.com/x # again\nc.example.com\t# note\nB.EXAMPLE.COM.\n";
    let names = |stdout: &str| -> Vec<String> {
        let lines = stdout.lines().map(json);
        lines.map(|value| value["domain"].as_str().unwrap().to_owned()).collect()
    };
    let expected = ["a.example.com", "b.example.com", "c.example.com"];
    let all = folder.all();
    let arguments = ["scan", "--replay", &all, "--format", "ndjson"];
    let stdin = run_with_input(&[&arguments[..], &["-"]].concat(), list);
    assert_eq!(names(&stdin.stdout), expected, "{}", stdin.stderr);
    assert!(stdin.stderr.contains("skipped 2 duplicates"), "{}", stdin.stderr);
    let file = folder.file("list.csv", list);
    let of_file = run(&[&arguments[..], &["--file", &file]].concat());
    assert_eq!(names(&of_file.stdout), expected, "{}", of_file.stderr);
    let missing = run(&[&arguments[..], &["--file", "/no/such/list"]].concat());
    assert_eq!(missing.code, Some(2));
    assert_eq!(json(&missing.stdout)["error"]["code"], "FILE_UNREADABLE");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_development_server_is_scanned_by_its_url() {
    let site = Site::new("127.0.0.1").with("/", Reply::html(good_home("127.0.0.1")));
    let site = site.with("http://127.0.0.1/", Reply::html(good_home("127.0.0.1")));
    let server = FixtureServer::start(Hosts::new([site])).await;
    let url = format!("http://{}", server.http());
    let refused = run(&["scan", &url]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    let command = format!("visibility scan {url} --allow-network 127.0.0.0/8");
    assert!(refused.stderr.contains(&command), "{}", refused.stderr);
    assert_eq!(server.connections(), 0);
    let run = run(&["scan", &url, "--allow-network", "127.0.0.0/8", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let result = json(&run.stdout);
    assert_eq!(result["domain"], server.http().to_string());
    let checks = result["checks"].as_array().unwrap();
    let https = checks.iter().find(|check| check["id"] == "https-and-redirects").unwrap();
    assert_eq!(https["status"], "not_applicable", "{https}");
    assert!(server.connections() > 0);
}

#[test]
fn every_failure_has_its_error_as_json() {
    let empty = Folder::new();
    let empty = empty.all();
    let cases: [(&[&str], &str); 8] = [
        (&["explain", "sitemp"], "USAGE"),
        (&["agents", "show", "unknown"], "USAGE"),
        (&["scan", "--replay", &empty], "USAGE"),
        (&["scan", "a.com", "--min-score", "101"], "USAGE"),
        (&["scan", "a.com", "--baseline", "/no/such/file"], "FILE_UNREADABLE"),
        (&["audit", "page.html", "--robots", "/no/such/file"], "FILE_UNREADABLE"),
        (&["diff", "/no/such/file", "/no/such/other"], "FILE_UNREADABLE"),
        (&["robots", "check", "localhost", "--as", "GPTBot", "/"], "INVALID_DOMAIN"),
    ];
    for (arguments, code) in cases {
        let run = run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        let error = &json(&run.stdout)["error"];
        assert_eq!(error["code"], code, "{arguments:?}: {error}");
        assert!(error["message"].is_string() && error["details"].is_object(), "{error}");
        assert!(error.get("hint").is_some(), "{error}");
    }
}

#[test]
fn a_robots_txt_that_cannot_be_read_is_json_too() {
    let target = "a.example.com:443:no-such-host.invalid:443";
    let run = run(&[
        "robots",
        "check",
        "a.example.com",
        "--as",
        "GPTBot",
        "/",
        "--format",
        "json",
        "--connect-to",
        target,
    ]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let value = json(&run.stdout);
    assert_eq!(value["agent"], "GPTBot");
    assert_eq!(value["failed"]["code"], "UPSTREAM_SCAN_FAILED", "{value}");
    assert_eq!(value["failed"]["details"]["stage"], "dns", "{value}");
    assert!(value["state"].is_string());
}

#[test]
fn titles_are_explained_and_names_are_suggested() {
    let by_id = run(&["explain", "markdown-negotiation"]);
    for title in ["Markdown negotiation", "MARKDOWN NEGOTIATION"] {
        assert_eq!(run(&["explain", title]).stdout, by_id.stdout, "{title}");
    }
    for (arguments, hint) in [
        (["explain", "sitemp", "-q"], "did you mean `sitemap`?"),
        (["agents", "show", "GPTBo"], "did you mean `GPTBot`?"),
        (["agents", "show", "GPT"], "did you mean `GPTBot`?"),
    ] {
        let arguments: Vec<&str> = arguments.into_iter().filter(|text| *text != "-q").collect();
        let run = run(&arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(hint), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.len() < 300, "{arguments:?}: {}", run.stderr);
    }
}

#[test]
fn the_demo_needs_no_network_and_is_always_the_same() {
    for command in ["scan", "audit"] {
        for format in
            ["human", "json", "ndjson", "markdown", "html", "junit", "prompt", "sarif", "github"]
        {
            for lang in ["en", "tr"] {
                let arguments = [command, "--demo", "--format", format, "--lang", lang];
                let first = run(&arguments);
                assert_eq!(first.code, Some(0), "{arguments:?}: {}", first.stderr);
                assert!(!first.stdout.is_empty(), "{arguments:?}");
                assert_eq!(first.stderr.lines().count(), 1, "{}", first.stderr);
                assert_eq!(run(&arguments).stdout, first.stdout, "{arguments:?}");
            }
        }
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../visibility-core/demo/sites.json.gz");
    let mut written = String::new();
    GzDecoder::new(File::open(file).unwrap()).read_to_string(&mut written).unwrap();
    assert!(
        written == visibility_tests::demo::render(),
        "cargo run -p visibility-tests --bin demo-recordings visibility-core/demo/sites.json.gz"
    );
}

#[test]
fn the_files_of_fixes_are_written_below_the_folder() {
    let folder = Folder::new();
    let fixes = folder.path("fixes");
    let arguments = ["scan", "--demo", "--write-fixes", &fixes];
    let written = run(&[&arguments[..], &["--format", "json"]].concat());
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let result = json(&written.stdout);
    let below = Path::new(&fixes).join("parcelwise-classic.com");
    let read = |name: &str| fs::read_to_string(below.join(name)).expect(name);
    let index = fs::read_to_string(folder.path("fixes/README.txt")).unwrap();
    // Each file of the plan: whole under its name, else as a piece that says where it belongs.
    let names = files_below(&below);
    let mut wholes = BTreeSet::new();
    for one in result["plan_files"].as_array().unwrap() {
        let file = &one["file"];
        let content = file["content"].as_str().unwrap();
        let path = file["path"].as_str().unwrap_or_default().trim_start_matches('/');
        if one["is_whole"] == true {
            assert_eq!(read(path), content, "{path}");
            assert!(wholes.insert(path.to_owned()), "{path} is there twice");
        } else {
            let pieces = names.iter().filter(|name| name.starts_with("edits/"));
            assert!(pieces.clone().any(|name| read(name).contains(content)), "{content}");
        }
    }
    let kept: BTreeSet<String> =
        names.iter().filter(|name| !name.starts_with("edits/")).cloned().collect();
    assert_eq!(kept, wholes);
    for name in &names {
        assert!(index.contains(&format!("\n   - parcelwise-classic.com/{name}\n")), "{index}");
    }
    for name in [
        "llms.txt",
        "edits/nginx.conf.add.txt",
        "edits/.htaccess.add.txt",
        "edits/Caddyfile.add.txt",
        ".well-known/mcp/server-card.json",
    ] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    let fields = read("edits/response-headers.add.txt");
    assert!(fields.contains("\nLink: </openapi.json>; rel=\"service-desc\""), "{fields}");
    assert!(fields.starts_with("# "), "{fields}");
    let is_ours = |line: &str| line.is_empty() || line.starts_with("# ") || line.contains(": ");
    assert!(fields.lines().all(is_ours) && !fields.contains("\n/"), "{fields}");
    let count = names.len();
    assert!(written.stderr.contains(&format!("{count} files")), "{count}: {}", written.stderr);
}

/// The index says for each file where it goes and what to do with it, in the order of the plan.
#[test]
fn the_index_of_fixes_leads_through_the_work() {
    let folder = recorded(&mixed());
    let fixes = folder.path("fixes");
    let replay = folder.path("shop.example.com");
    let run = run(&["scan", "--replay", &replay, "--write-fixes", &fixes, "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let result = json(&run.stdout);
    let index = fs::read_to_string(folder.path("fixes/README.txt")).unwrap();
    let has_files = |step: &&Value| {
        let checks = result["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["id"] == step["check"]).unwrap();
        check["fix"]["files"].as_array().is_some_and(|files| !files.is_empty())
    };
    let steps = result["fix_plan"].as_array().unwrap().iter().filter(has_files);
    let mut last = 0;
    for (number, step) in steps.enumerate() {
        let line =
            format!("\n{}. shop.example.com: {}\n", number + 1, step["title"].as_str().unwrap());
        let at = index.find(&line).unwrap_or_else(|| panic!("{line} is not in {index}"));
        assert!(at > last || number == 0, "{index}");
        last = at;
    }
    let files = index.lines().filter(|line| line.starts_with("   - ")).count();
    for label in ["     Where: ", "     What to do: "] {
        assert_eq!(index.lines().filter(|line| line.starts_with(label)).count(), files, "{index}");
    }
    assert!(
        index.contains("   - shop.example.com/robots.txt\n     Where: /robots.txt\n"),
        "{index}"
    );
}

#[test]
fn without_a_fix_there_is_no_folder() {
    let folder = Folder::new();
    let fixes = folder.path("fixes");
    let failed = ["scan", "no-such-host.invalid", "--write-fixes", &fixes];
    assert_eq!(run(&failed).code, Some(2));
    let away = ["--connect-to", "a.example.com:443:no-such-host.invalid:443"];
    let run = run(&[&["scan", "a.example.com", "--write-fixes", &fixes], &away[..]].concat());
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("was not created"), "{}", run.stderr);
    assert!(!Path::new(&fixes).exists());
}

#[test]
fn fixes_are_written_over_files_only_with_force() {
    let folder = Folder::new();
    let fixes = folder.path("fixes");
    let name = "fixes/parcelwise-classic.com/llms.txt";
    let arguments = ["scan", "--demo", "--quiet", "--write-fixes", &fixes];
    assert_eq!(run(&arguments).code, Some(0));
    let content = fs::read_to_string(folder.path(name)).unwrap();
    folder.file(name, "mine");
    let again = run(&arguments);
    assert_eq!((again.code, again.stdout.as_str()), (Some(2), ""), "{}", again.stderr);
    assert!(again.stderr.contains("is not empty"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "mine");
    let forced = run(&[&arguments[..], &["--force"]].concat());
    assert_eq!(forced.code, Some(0), "{}", forced.stderr);
    assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), content);
}

#[test]
fn a_second_run_replaces_what_the_first_wrote_and_nothing_else() {
    let folder = Folder::new();
    let fixes = folder.path("fixes");
    let arguments = ["scan", "--demo", "--quiet", "--force", "--write-fixes", &fixes];
    folder.file("fixes/parcelwise-classic.com/notes.txt", "mine");
    assert_eq!(run(&arguments).code, Some(0));
    let first = files_below(Path::new(&fixes));
    // As if the site had no need of it any more.
    let list = fs::read_to_string(folder.path("fixes/.visibility-fixes")).unwrap();
    let gone = "parcelwise-classic.com/edits/once.txt.add.txt";
    folder.file(&format!("fixes/{gone}"), "old");
    folder.file("fixes/.visibility-fixes", format!("{list}{gone}\n../outside.txt\n"));
    let outside = folder.file("outside.txt", "mine");
    assert_eq!(run(&arguments).code, Some(0));
    assert_eq!(files_below(Path::new(&fixes)), first);
    assert_eq!(fs::read_to_string(outside).unwrap(), "mine");
    let notes = folder.path("fixes/parcelwise-classic.com/notes.txt");
    assert_eq!(fs::read_to_string(notes).unwrap(), "mine");
}

#[test]
fn a_file_that_no_run_wrote_is_not_replaced() {
    let folder = Folder::new();
    let fixes = folder.path("fixes");
    let name = "fixes/parcelwise-classic.com/llms.txt";
    folder.file(name, "mine");
    let refused = run(&["scan", "--demo", "--force", "--write-fixes", &fixes]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("no earlier run wrote it"), "{}", refused.stderr);
    assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "mine");
}

#[test]
fn an_audit_of_a_folder_leaves_out_the_fixes_in_it() {
    let folder = Folder::new();
    folder.file("site/index.html", "<title>Tea</title><h1>Tea</h1><p>Green tea.</p>");
    let fixes = folder.path("site/fixes");
    assert_eq!(run(&["scan", "--demo", "--quiet", "--write-fixes", &fixes]).code, Some(0));
    folder.file("site/fixes/parcelwise-classic.com/page.html", "<title>Not a page</title>");
    let audited = run(&["audit", "--dir", &folder.path("site"), "--format", "ndjson"]);
    assert_eq!(audited.stdout.lines().count(), 1, "{}", audited.stdout);
}

/// The names of all files below a folder, with slashes.
fn files_below(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                names.insert(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    names
}
