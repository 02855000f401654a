//! `visibility agents`.

use serde_json::json;
use visibility_core::agents::Registry;

use crate::cli::program::{json_of, run};

#[test]
fn agents_are_listed_shown_and_identified_by_their_user_agent() {
    let count = |arguments: &[&str]| json_of(arguments).as_array().unwrap().len();
    assert_eq!(count(&["agents", "list"]), 27);
    assert_eq!(count(&["agents", "list", "--all"]), Registry::embedded().agents.len());
    assert_eq!(json_of(&["agents", "show", "gptbot"])["id"], "openai-gptbot");
    let shown = run(&["agents", "show", "PerplexityBot", "--lang", "tr"]);
    assert_eq!(shown.code, Some(0));
    assert!(!shown.stdout.contains("interface."), "{}", shown.stdout);

    let user_agent = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)";
    assert_eq!(
        json_of(&["agents", "match", user_agent]),
        json!({"id": "openai-gptbot", "name": "GPTBot", "purpose": "training"})
    );
    let person = run(&["agents", "match", "Mozilla/5.0 Firefox/140.0", "--format", "json"]);
    assert_eq!((person.code, person.stdout.as_str()), (Some(1), "null\n"));
}
