//! Settings and `config show`.

use serde_json::{Value, json};
use visibility_server::settings::key::KEYS;

use crate::server::program::{Place, Run};

/// What `config show` says with this environment.
fn shown(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> Value {
    let arguments = [&["config", "show", "--format", "json"], arguments].concat();
    let mut command = place.command(&arguments);
    command.env_remove("VISIBILITY_DATA_DIR").envs(environment.iter().copied());
    Run::from(command.output().unwrap()).json()
}

fn entry(value: &Value, origin: &str, source: &str) -> Value {
    json!({ "value": value, "origin": origin, "source": source })
}

#[test]
fn every_setting_is_shown_with_its_origin() {
    let place = Place::new();
    let all = shown(&place, &[], &[]);
    assert_eq!(all.as_object().unwrap().len(), KEYS.len());
    let human = place.run(&["config", "show"]).stdout;
    let toml = place.run(&["config", "show", "--format", "toml"]).stdout;
    for key in &KEYS {
        assert_eq!(all[key.name]["origin"], "default", "{}", key.name);
        assert!(human.lines().any(|line| line.starts_with(key.name)), "{}", key.name);
        let name = key.name.rsplit('.').next().unwrap();
        let is_set = !all[key.name]["value"].is_null();
        let has = toml.lines().any(|line| line.starts_with(&format!("{name} = ")));
        assert_eq!(has, is_set, "{}", key.name);
    }
}

#[test]
fn a_mistyped_setting_is_answered_with_the_right_name() {
    let place = Place::new();
    for (typed, meant) in [
        ("limits.brst", "limits.burst"),
        ("limits_burst", "limits.burst"),
        ("limit.burst", "limits.burst"),
        ("burst", "limits.burst"),
        ("lsten", "listen"),
    ] {
        let run = place.run(&["config", "show", "--set", &format!("{typed}=1")]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{typed}");
        let expected = format!(
            "error: flag --set {typed}: there is no setting `{typed}`\n  \
             hint: did you mean `{meant}`?\n"
        );
        assert_eq!(run.stderr, expected);
    }
}

#[test]
fn the_nearest_origin_wins() {
    let place = Place::new();
    let file = place
        .file("a.toml", "listen = '127.0.0.1:1'\n[limits]\nburst = 1\nqueue = 1\npermits = 1\n");
    let all = shown(
        &place,
        &["--config", &file, "--set", "limits.burst=3", "--listen", "127.0.0.1:3"],
        &[("VISIBILITY_LIMITS__BURST", "2"), ("VISIBILITY_LIMITS__QUEUE", "2")],
    );
    assert_eq!(all["limits.burst"], entry(&json!(3), "flag", "--set limits.burst"));
    assert_eq!(all["listen"], entry(&json!("127.0.0.1:3"), "flag", "--listen"));
    let variable = "VISIBILITY_LIMITS__QUEUE";
    assert_eq!(all["limits.queue"], entry(&json!(2), "environment", variable));
    assert_eq!(all["limits.permits"], entry(&json!(1), "file", &file));
}

#[test]
fn the_file_in_this_folder_is_read_unless_another_is_named() {
    let place = Place::new();
    place.file("visibility-server.toml", "[limits]\nburst = 7\n");
    let here = entry(&json!(7), "file", "visibility-server.toml");
    assert_eq!(shown(&place, &[], &[])["limits.burst"], here);
    let other = place.file("other.toml", "");
    let named = shown(&place, &[], &[("VISIBILITY_CONFIG", &other)]);
    assert_eq!(named["limits.burst"], json!({ "value": 10, "origin": "default" }));
}

#[test]
fn the_settings_as_toml_are_a_file_of_settings() {
    let place = Place::new();
    let arguments =
        ["--set", "limits.burst=0", "--metrics-listen", "127.0.0.1:9", "--log-format", "json"];
    let toml = place.run(&[&["config", "show", "--format", "toml"][..], &arguments].concat());
    let file = place.file("all.toml", &toml.stdout);
    let (first, second) =
        (shown(&place, &arguments, &[]), shown(&place, &["--config", &file], &[]));
    for key in KEYS.iter().filter(|key| key.name != "data_dir") {
        assert_eq!(first[key.name]["value"], second[key.name]["value"], "{}", key.name);
    }
}

/// Arguments and environment.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);

#[test]
fn a_mistake_names_key_origin_and_what_is_allowed() {
    let place = Place::new();
    place.file("bad-key.toml", "[limit]\nburst = 1\n");
    place.file("bad-value.toml", "timeouts.head = 'long'\n");
    place.file("no.toml", "listen = \n");
    let cases: [Case<'_>; 9] = [
        (&["--config", "bad-key.toml"], &[]),
        (&["--config", "bad-value.toml"], &[]),
        (&["--config", "no.toml"], &[]),
        (&["--config", "missing.toml"], &[]),
        (&["--set", "burst=0"], &[]),
        (&["--set", "limits.connections=0"], &[]),
        (&["--listen", "localhost:8080"], &[]),
        (&[], &[("VISIBILITY_LIMITS_BURST", "1")]),
        (&[], &[("VISIBILITY_LOG__LEVEL", "loud\u{1b}[2J")]),
    ];
    let mut said = String::new();
    for (arguments, environment) in cases {
        let mut command = place.command(&[&["config", "show"], arguments].concat());
        let run = Run::from(command.envs(environment.iter().copied()).output().unwrap());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        said.push_str(&format!("{arguments:?} {environment:?}\n{}\n", run.stderr));
    }
    insta::assert_snapshot!(said);
}

#[test]
fn colors_depend_on_the_environment() {
    let place = Place::new();
    let escape = '\u{1b}';
    assert!(!place.run(&["config", "show"]).stdout.contains(escape));
    assert!(place.run(&["config", "show", "--color", "always"]).stdout.contains(escape));
    let mut command = place.command(&["config", "show"]);
    let forced = |command: &mut std::process::Command| Run::from(command.output().unwrap()).stdout;
    assert!(forced(command.env("CLICOLOR_FORCE", "1")).contains(escape));
    assert!(!forced(command.env("NO_COLOR", "1")).contains(escape));
}
