//! `files`.

use std::fs;

use serde_json::json;

use crate::server::program::{Place, Run};
use crate::server::store::{paths_of, with_batch};

#[test]
fn files_are_listed_with_their_whole_path() {
    let place = Place::new();
    let service = with_batch(&place, &["/a", "/b"]);
    drop(service);
    let mut command = place.command(&["files", "acme", "--format", "json", "--data-dir", "data"]);
    let files = Run::from(command.output().unwrap()).json();
    assert_eq!((&files[0]["tenant"], &files[0]["rows"]), (&json!("acme"), &json!(2)));
    let paths = paths_of(&files);
    assert_eq!(paths.len(), 1);
    assert!(paths[0].is_absolute() && paths[0].is_file(), "{paths:?}");
    assert!(fs::read(&paths[0]).unwrap().starts_with(b"PAR1"));
    assert_eq!(place.json(&["files"]), files);
    assert!(place.run(&["files"]).stdout.contains(paths[0].to_str().unwrap()));
}
