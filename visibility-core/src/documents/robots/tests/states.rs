use std::collections::BTreeMap;

use serde::Deserialize;
use url::Url;

use crate::documents::robots::{RobotsFile, RobotsState};
use crate::fetch::{
    BodyEnd, FetchError, FetchResult, Headers, Hop, Response, SkipReason, TlsError,
};
use crate::limits::MAX_REDIRECTS;

#[derive(Deserialize)]
struct Vectors {
    fetch: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    name: String,
    responses: Vec<Step>,
    expect: Expectation,
}

#[derive(Deserialize)]
struct Step {
    status: Option<u16>,
    #[serde(default)]
    location: Option<String>,
    #[serde(default)]
    body: String,
    #[serde(default)]
    body_bomb: Option<String>,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Deserialize)]
struct Expectation {
    state: String,
    probe: BTreeMap<String, bool>,
}

fn response(status: u16, body: &[u8]) -> Response {
    Response {
        url: Url::parse("https://e.example/robots.txt").unwrap(),
        status,
        version: "HTTP/1.1".to_owned(),
        headers: Headers::default(),
        body: body.to_vec().into(),
        body_end: BodyEnd::Complete,
        wire_bytes: 0,
        hops: Vec::new(),
        ttfb_ms: 1,
        total_ms: 1,
        retries: 0,
        tls: None,
    }
}

/// What a fetcher makes of the steps of a vector.
fn answer(steps: &[Step]) -> FetchResult {
    let mut url = Url::parse("https://e.example/robots.txt").unwrap();
    let mut hops: Vec<Hop> = Vec::new();
    for step in steps {
        if step.error.is_some() {
            return Err(FetchError::Timeout { after_ms: 10_000 });
        }
        let status = step.status.unwrap();
        if (300..400).contains(&status) {
            let Some(location) = &step.location else {
                return Err(FetchError::BadRedirect { hops });
            };
            hops.push(Hop {
                url: url.clone(),
                status,
                location: location.clone(),
                vary: String::new(),
            });
            let next = Url::parse(location).unwrap();
            if hops.iter().any(|hop| hop.url == next) {
                return Err(FetchError::RedirectLoop { hops });
            }
            if hops.len() > MAX_REDIRECTS {
                return Err(FetchError::TooManyRedirects { hops });
            }
            url = next;
            continue;
        }
        let mut response = response(status, step.body.as_bytes());
        if step.body_bomb.is_some() {
            response.body = vec![b' '; 512_000].into();
            response.body_end = BodyEnd::Capped;
        }
        return Ok(Response { hops, ..response });
    }
    panic!("a vector ends in an answer")
}

/// RFC 9309 section 2.3.1.
#[test]
fn every_answer_has_the_state_that_its_vector_names() {
    let file: Vectors =
        serde_json::from_str(include_str!("../../../../testdata/robots_fetch.json")).unwrap();
    assert_eq!(file.fetch.len(), 12);
    for vector in file.fetch {
        let robots = RobotsFile::from_result(Some(&answer(&vector.responses)));
        assert_eq!(robots.state.as_str(), vector.expect.state, "{}", vector.name);
        for (path, allowed) in vector.expect.probe {
            let decision = robots.decide(&["AnyBot"], &path).unwrap();
            assert_eq!(decision.allowed, allowed, "{} {path}", vector.name);
        }
    }
}

#[test]
fn a_failure_of_the_network_is_unreachable_and_one_of_ours_is_unknown() {
    let host = || "e.example".to_owned();
    for (error, state) in [
        (FetchError::Dns { host: host() }, RobotsState::Unreachable),
        (FetchError::Connect { host: host() }, RobotsState::Unreachable),
        (FetchError::Protocol { reason: "no HTTP".to_owned() }, RobotsState::Unreachable),
        (FetchError::TooManyRedirects { hops: vec![] }, RobotsState::Unavailable),
        (FetchError::Tls { host: host(), problem: TlsError::Expired }, RobotsState::Failed),
        (FetchError::Denied { after_redirect: true }, RobotsState::Failed),
        (FetchError::Deadline, RobotsState::Failed),
        (FetchError::NotRecorded, RobotsState::Failed),
        (FetchError::Skipped { reason: SkipReason::RateLimited }, RobotsState::Failed),
    ] {
        let answer: FetchResult = Err(error);
        assert_eq!(RobotsFile::from_result(Some(&answer)).state, state, "{answer:?}");
    }
    assert_eq!(RobotsFile::from_result(None).state, RobotsState::Failed);
}

#[test]
fn a_body_that_breaks_off_is_unreachable() {
    for end in [BodyEnd::TimedOut, BodyEnd::Broken, BodyEnd::Undecodable] {
        let body_end = end;
        let answer = Ok(Response { body_end, ..response(200, b"User-agent: *\nAllow: /\n") });
        let robots = RobotsFile::from_result(Some(&answer));
        assert_eq!(robots.state, RobotsState::Unreachable, "{end:?}");
    }
}

#[test]
fn a_page_instead_of_rules_is_not_text() {
    let page = b"<!DOCTYPE html>\n<html><title>Oops</title>\nDisallow: /\n</html>";
    let robots = RobotsFile::from_result(Some(&Ok(response(200, page))));
    assert_eq!(robots.state, RobotsState::NotText);
    assert!(robots.decide(&["a"], "/").unwrap().allowed);

    let rules = b"<html>\nUser-agent: *\nDisallow: /\n</html>";
    let robots = RobotsFile::from_result(Some(&Ok(response(200, rules))));
    assert_eq!(robots.state, RobotsState::Parsed);
    assert!(!robots.decide(&["a"], "/").unwrap().allowed);
}

#[test]
fn a_challenge_decides_nothing() {
    let mut challenge = response(403, b"");
    challenge.headers.append("cf-mitigated", "challenge");
    let robots = RobotsFile::from_result(Some(&Ok(challenge)));
    assert_eq!(robots.state, RobotsState::Challenged);
    assert_eq!(robots.decide(&["a"], "/"), None);
}

#[test]
fn an_unreachable_file_leaves_only_itself_allowed() {
    let robots = RobotsFile::from_result(Some(&Ok(response(503, b""))));
    assert!(!robots.decide(&["a"], "/x").unwrap().allowed);
    assert!(robots.decide(&["a"], "/robots.txt").unwrap().allowed);
}

#[test]
fn too_many_requests_is_unavailable() {
    let robots = RobotsFile::from_result(Some(&Ok(response(429, b"User-agent: *\nDisallow: /"))));
    assert_eq!(robots.state, RobotsState::Unavailable);
    assert!(robots.decide(&["a"], "/x").unwrap().allowed);
}
