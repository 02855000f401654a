//! `visibility badge`.

use visibility_tests::site::good;

use crate::cli::program::{recorded, run};

#[test]
fn a_badge_is_drawn_from_a_result() {
    let folder = recorded(&good("shop.example.com"));
    let result = folder.path("scan.json");
    run(&["scan", "--replay", &folder.all(), "--format", "json", "-o", &result]);
    let badge = run(&["badge", &result]);
    assert_eq!(badge.code, Some(0), "{}", badge.stderr);
    assert!(badge.stdout.starts_with("<svg "), "{}", badge.stdout);
    let missing = run(&["badge", &folder.path("missing.json")]);
    assert_eq!(missing.code, Some(2));
}
