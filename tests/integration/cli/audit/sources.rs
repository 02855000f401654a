//! Where pages come from.

use std::fs;

use serde_json::Value;
use visibility_tests::pages;

use super::{NOW, URL, audit, audit_in, json, shop};
use crate::cli::program::{Folder, run_with_input};

fn urls(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|value| value["url"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_file_has_its_own_address_or_the_one_that_is_given() {
    let folder = shop();
    let page = folder.path("aurora.html");
    let own = json(&audit(&[&page, "--format", "json"]));
    assert_eq!(own["url"], format!("file://{page}"));
    assert_eq!(own["status"], "completed");
    assert_eq!(own["final_url"], Value::Null);
    let given =
        json(&audit(&[&page, "--url", "shop.example.com/jackets/aurora", "--format", "json"]));
    assert_eq!(given["url"], URL);
}

#[test]
fn a_file_is_the_same_however_it_is_named() {
    let folder = shop();
    let named = audit_in(&folder, &["aurora.html", "--format", "json"]);
    assert_eq!(json(&named)["url"], "file:///aurora.html");
    assert_eq!(audit_in(&folder, &["./aurora.html", "--format", "json"]).stdout, named.stdout);
    for arguments in [&["./shell.html"][..], &["--dir", "."], &["--dir", "./"]] {
        let run = audit_in(&folder, &[arguments, &["--format", "github"]].concat());
        assert!(run.stdout.contains("file=shell.html,"), "{arguments:?}: {}", run.stdout);
    }
}

#[test]
fn standard_input_is_html() {
    let arguments = ["audit", "--now", NOW, "-", "--url", URL, "--format", "json"];
    let typed = run_with_input(&arguments, pages::product());
    assert_eq!(typed.code, Some(0), "{}", typed.stderr);
    let folder = shop();
    let read = audit(&[&folder.path("aurora.html"), "--url", URL, "--format", "json"]);
    assert_eq!(typed.stdout, read.stdout, "the same bytes, the same address, the same result");
    let named = run_with_input(&["audit", "-", "--format", "json"], pages::product());
    assert_eq!(json(&named)["url"], "file:///stdin");
    let text = run_with_input(&["audit", "-", "--show-text"], pages::product());
    assert!(text.stdout.starts_with("# Aurora down jacket\n"), "{}", text.stdout);
}

#[test]
fn a_folder_is_audited_in_the_order_of_its_paths() {
    let folder = Folder::new();
    for name in ["b/index.html", "a.html", "b/x.HTM", "c/d/e.xhtml", "notes.txt", "b/y.html.bak"] {
        fs::create_dir_all(std::path::Path::new(&folder.path(name)).parent().unwrap()).unwrap();
        folder.file(name, pages::landing());
    }
    let run =
        audit(&["--dir", &folder.all(), "--base-url", "https://a.com/x?y", "--format", "ndjson"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = [
        "https://a.com/x/a.html",
        "https://a.com/x/b/",
        "https://a.com/x/b/x.HTM",
        "https://a.com/x/c/d/e.xhtml",
    ];
    assert_eq!(urls(&run.stdout), expected);
    let files = audit(&["--dir", &folder.all(), "--format", "ndjson"]);
    assert_eq!(urls(&files.stdout)[0], format!("file://{}", folder.path("a.html")));
}

#[test]
fn many_files_keep_their_order() {
    let folder = Folder::new();
    for index in 0..60 {
        let page = if index % 7 == 0 { pages::product() } else { pages::shell() };
        folder.file(&format!("{index:03}.html"), page);
    }
    let run = audit(&["--dir", &folder.all(), "--format", "ndjson", "--quiet"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let expected: Vec<String> = (0..60)
        .map(|index| format!("file://{}", folder.path(&format!("{index:03}.html"))))
        .collect();
    assert_eq!(urls(&run.stdout), expected);
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_a_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let outside = shop();
    let folder = Folder::new();
    folder.file("own.html", pages::landing());
    symlink(outside.path("aurora.html"), folder.path("out.html")).unwrap();
    symlink(outside.all(), folder.path("out")).unwrap();
    symlink(folder.all(), folder.path("loop")).unwrap();
    symlink(folder.path("own.html"), folder.path("same.html")).unwrap();
    symlink(folder.path("nothing"), folder.path("dangling.html")).unwrap();
    let run = audit(&["--dir", &folder.all(), "--format", "ndjson"]);
    let found = urls(&run.stdout);
    let expected = ["own.html", "same.html"].map(|name| format!("file://{}", folder.path(name)));
    assert_eq!(found, expected);
}

#[test]
fn pages_come_in_the_order_given_and_bad_ones_among_them() {
    let folder = shop();
    let (good, shell) = (folder.path("aurora.html"), folder.path("shell.html"));
    let missing = folder.path("missing.html");
    let arguments = [&shell, &missing, "ftp://a.com/", &good, "--format", "json"];
    let run = audit(&arguments.map(|argument: &str| argument));
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    let values: Vec<Value> = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(values[0]["gates"][0]["id"], "script-shell");
    assert_eq!(values[1]["url"], missing);
    assert_eq!(values[1]["error"]["code"], "FILE_UNREADABLE");
    assert_eq!(values[2]["error"]["code"], "INVALID_URL");
    assert_eq!(values[3]["status"], "completed");
    assert!(run.stderr.ends_with("4 pages: 2 read, 2 not read\n"), "{}", run.stderr);
}

#[test]
fn what_cannot_be_read_names_what_to_do() {
    let folder = shop();
    let (all, page) = (folder.all(), folder.path("aurora.html"));
    let empty = Folder::new();
    let empty = empty.all();
    let missing = folder.path("missing.html");
    let cases: [(&[&str], &str); 17] = [
        (&[&all], &format!("--dir {all}")),
        (&[&missing], "No such file"),
        (&["example.com/page.html"], "https://example.com/page.html"),
        (&["file:///tmp/page.html"], "visibility audit /tmp/page.html"),
        (&["ftp://example.com/"], "https://example.com/page"),
        (&["https://user:word@example.com/"], "user name or password"),
        (&["not a url"], "is not an absolute URL"),
        (&["--dir", &page], &format!("visibility audit {page}")),
        (&["--dir", &missing], "cannot read"),
        (&["--dir", &empty], "no pages in"),
        (&[&page, &page, "--url", URL], "--dir DIR --base-url URL"),
        (&[&page, "--url", "ftp://a.com"], "not over `ftp`"),
        (&[&page, "--robots", &missing], "cannot read"),
        (&[URL, "--robots", &page], "is only for files"),
        (&["localhost:3000/page.html"], "http://localhost:3000/page.html"),
        (&["-", "-"], "can be read only once"),
        (&[&page, &page, "--show-text"], "needs exactly one page"),
    ];
    for (arguments, message) in cases {
        let run = audit(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
}

#[test]
fn arguments_that_exclude_each_other_are_refused() {
    for (arguments, message) in [
        (&[][..], "required arguments were not provided"),
        (&["a.html", "--dir", "x"], "cannot be used with"),
        (&["a.html", "--sitemap", "https://a.com/sitemap.xml"], "cannot be used with"),
        (&["--dir", "x", "--url", URL], "cannot be used with"),
        (&["a.html", "--base-url", URL], "cannot be used with"),
        (&["a.html", "--max-pages", "5"], "cannot be used with"),
        (&["--sitemap", URL, "--base-url", URL], "cannot be used with"),
        (&["a.html", "--show-text", "--min-score", "5"], "cannot be used with"),
        (&["a.html", "--fail-on-gate=nonsense"], "answer-bots-blocked"),
        (&["a.html", "--profile", "shop"], "collection"),
    ] {
        let run = audit(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{arguments:?}: {}", run.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_and_a_name_that_is_not_text_are_reported() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let folder = shop();
    let closed = folder.path("shell.html");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let may_read_all = fs::read(&closed).is_ok();
    let run = audit(&[&closed]);
    assert!(may_read_all || run.code == Some(2), "{}", run.stderr);
    assert!(may_read_all || run.stderr.contains("Permission denied"), "{}", run.stderr);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o600)).unwrap();

    let strange = std::path::Path::new(&folder.all()).join(OsStr::from_bytes(b"\xff.html"));
    fs::write(&strange, pages::shell()).unwrap();
    let run = audit(&["--dir", &folder.all(), "--format", "ndjson"]);
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("is not valid UTF-8"), "{}", run.stderr);
    assert_eq!(run.stdout.lines().count(), 3);
}

#[test]
fn files_that_are_no_pages_have_a_status() {
    let folder = Folder::new();
    let bytes: Vec<u8> = (0..=255).cycle().take(5_000).collect();
    let nested = "<div>".repeat(100_000);
    for (name, content, status, code) in [
        ("empty.html", &b""[..], "not_html", 3),
        ("white.html", b" \n\t", "not_html", 3),
        ("binary", &bytes, "not_html", 3),
        ("nested.html", nested.as_bytes(), "completed", 0),
    ] {
        let run = audit(&[&folder.file(name, content), "--format", "json"]);
        assert_eq!(run.code, Some(code), "{name}: {}", run.stderr);
        assert_eq!(json(&run)["status"], status, "{name}");
    }
    let long = [pages::product().into_bytes(), vec![b' '; 6 * 1024 * 1024]].concat();
    let run = audit(&[&folder.file("long.html", long), "--format", "json", "--min-score", "0"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert_eq!(json(&run)["status"], "partial");
    assert!(run.stderr.contains("only part of the page"), "{}", run.stderr);
}

#[test]
fn a_page_without_text_has_none_to_show() {
    let folder = Folder::new();
    let run = audit(&[&folder.file("empty.html", ""), "--show-text"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(3), ""));
    assert!(run.stderr.contains("empty.html: "), "{}", run.stderr);
}

#[test]
fn robots_of_files_are_judged_when_they_are_given() {
    let folder = shop();
    let page = folder.path("aurora.html");
    let blocked = folder.file("robots.txt", "User-agent: *\nDisallow: /jackets\n");
    let access = |arguments: &[&str]| {
        let value =
            json(&audit(&[&[page.as_str(), "--url", URL, "--format", "json"], arguments].concat()));
        value["signals"][0]["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(access(&[]), "unknown");
    assert_eq!(access(&["--robots", &blocked]), "fail");
    let open = folder.file("open.txt", "User-agent: *\nAllow: /\n");
    assert_eq!(access(&["--robots", &open]), "pass");
}

#[test]
fn a_chosen_profile_is_said_to_be_chosen() {
    let folder = shop();
    let page = folder.path("aurora.html");
    for profile in
        ["product", "collection", "article", "landing", "documentation", "forum", "listing"]
    {
        let value = json(&audit(&[&page, "--profile", profile, "--format", "json"]));
        assert_eq!(value["profile"]["id"], profile);
        assert_eq!(value["profile"]["chosen"], true);
    }
}
