//! The help, which is what most people read of it.

use crate::server::program::Place;

#[test]
fn the_help_of_every_command_is_stable() {
    let place = Place::new();
    let commands: [&[&str]; 41] = [
        &[],
        &["serve"],
        &["config"],
        &["config", "show"],
        &["tenants"],
        &["tenants", "create"],
        &["tenants", "list"],
        &["tenants", "disable"],
        &["tenants", "enable"],
        &["tokens"],
        &["tokens", "create"],
        &["tokens", "rotate"],
        &["tokens", "list"],
        &["tokens", "revoke"],
        &["openapi"],
        &["keys"],
        &["keys", "create"],
        &["keys", "rotate"],
        &["keys", "list"],
        &["keys", "revoke"],
        &["users"],
        &["users", "create"],
        &["users", "list"],
        &["users", "disable"],
        &["users", "enable"],
        &["users", "scopes"],
        &["users", "passwd"],
        &["grants"],
        &["grants", "list"],
        &["grants", "revoke"],
        &["completions"],
        &["man"],
        &["logs"],
        &["logs", "stats"],
        &["files"],
        &["sweep"],
        &["reconcile"],
        &["clock"],
        &["clock", "accept"],
        &["check"],
        &["health"],
    ];
    let mut all = String::new();
    for command in commands {
        let run = place.run(&[command, &["--help"]].concat());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{command:?}");
        all.push_str(&format!("== visibility-server {}\n\n{}\n", command.join(" "), run.stdout));
    }
    assert!(all.lines().all(|line| line.chars().count() <= 100), "{all}");
    insta::assert_snapshot!(all);
}

#[test]
fn a_mistake_is_answered_with_the_right_word() {
    let run = Place::new().run(&["token", "create", "acme"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("a similar subcommand exists: 'tokens'"), "{}", run.stderr);
}

#[test]
fn completions_and_manual_pages_are_made() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = place.run(&["completions", shell]);
        assert_eq!(run.code, Some(0), "{shell}");
        assert!(run.stdout.contains("tenants"), "{shell}");
    }
    assert!(place.run(&["man"]).stdout.contains(".TH visibility-server 1"));
    let folder = place.path().join("man");
    let folder = folder.display().to_string();
    assert_eq!(place.run(&["man", "--dir", &folder]).code, Some(0));
    assert!(place.path().join("man/visibility-server-tokens-rotate.1").is_file());
    let page = place.run(&["man"]).stdout;
    for part in [".SH \"EXIT STATUS\"", ".SH EXAMPLES", "[\\-\\-data\\-dir <DIR>]"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("EXTRA"), "{page}");
}
