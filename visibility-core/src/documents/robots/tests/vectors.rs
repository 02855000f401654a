use base64::Engine;
use serde::Deserialize;

use crate::documents::robots::RobotsTxt;

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    name: String,
    robots: Option<String>,
    #[serde(default)]
    robots_b64: Option<String>,
    agent: String,
    url: String,
    allowed: bool,
    line: Option<usize>,
}

/// RFC 9309; each vector names its section.
#[test]
fn every_vector_is_decided_by_the_line_that_it_names() {
    let file: Vectors =
        serde_json::from_str(include_str!("../../../../testdata/robots_vectors.json")).unwrap();
    assert_eq!(file.vectors.len(), 52);
    for vector in file.vectors {
        let body = match &vector.robots_b64 {
            Some(text) => base64::engine::general_purpose::STANDARD.decode(text).unwrap(),
            None => vector.robots.unwrap().into_bytes(),
        };
        let decision = RobotsTxt::parse(&body).decide(&[&vector.agent], &vector.url);
        let decided = (decision.allowed, decision.rule.map(|rule| rule.line));
        assert_eq!(decided, (vector.allowed, vector.line), "{} {}", vector.id, vector.name);
    }
}
