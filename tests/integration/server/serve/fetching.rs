//! The settings about fetching sites: invalid ones are reported at the start.

use crate::server::program::{Place, get};

#[test]
fn certificates_that_cannot_be_used_are_named_with_what_to_do() {
    let place = Place::new();
    let none = place.path().join("none.pem").display().to_string();
    let other = place.file("other.pem", "not a certificate\n");
    for (file, what) in [(&none, "cannot read"), (&other, "has no certificates")] {
        let run = place.run(&["serve", "--listen", "127.0.0.1:0", "--ca-cert", file]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("`fetch.ca_cert`"), "{}", run.stderr);
        assert!(run.stderr.contains(file) && run.stderr.contains(what), "{}", run.stderr);
        assert!(run.stderr.contains("hint:"), "{}", run.stderr);
    }
}

#[test]
fn scans_of_our_own_networks_are_for_loopback_and_no_secret() {
    let place = Place::new();
    let rules = ["--connect-to", "a.example.com:443:127.0.0.1:8443"];
    let public = ["serve", "--listen", "0.0.0.0:0", "--base-url", "https://visibility.example.com"];
    let run = place.run(&[&public[..], &rules].concat());
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("`fetch.connect_to` is for tests"), "{}", run.stderr);

    let service = place.serve(&rules);
    service.logged("fetch_test_mode");
    let health = get(&service.address(), "/api/v1/health");
    assert!(health.contains(r#""fetch_test_mode":true"#), "{health}");
}
