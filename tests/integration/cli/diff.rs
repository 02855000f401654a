//! `visibility diff`.

use std::fs;

use visibility_tests::site::good;

use crate::cli::program::{Folder, json_of, mixed, recorded, run};

#[test]
fn diff_says_what_became_worse() {
    let folder = Folder::new();
    let (before, after) = (folder.path("before.json"), folder.path("after.json"));
    for (site, file) in [(good("shop.example.com"), &before), (mixed(), &after)] {
        let recording = recorded(&site);
        run(&["scan", "--replay", &recording.all(), "--format", "json", "-o", file]);
    }
    let worse = run(&["diff", &before, &after]);
    assert_eq!(worse.code, Some(1), "{}", worse.stderr);
    insta::assert_snapshot!(worse.stdout);
    let difference = json_of(&["diff", &before, &after]);
    assert_eq!(difference["is_regression"], true);
    let same = run(&["diff", &after, &after]);
    assert_eq!(same.code, Some(0));
    assert!(same.stdout.contains("Nothing changed"), "{}", same.stdout);

    let other = fs::read_to_string(&after).unwrap().replace("\"2026.11.5\"", "\"2027.01\"");
    let refused = run(&["diff", &before, &folder.file("other.json", &other)]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("different rubrics"), "{}", refused.stderr);
}
