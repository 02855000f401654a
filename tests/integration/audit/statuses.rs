//! How visits come out.

use visibility_core::audit::audit;
use visibility_core::audit::status::Status;
use visibility_core::fetch::{BodyEnd, FetchError, TlsError};
use visibility_core::text::locale::Lang;

use super::judged::Served;

const CHALLENGE: &str = "<!doctype html><html><head><title>Just a moment...</title></head><body>\
    <script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\"></script></body></html>";

fn bare(body: &str) -> Served {
    Served::new("https://example.com/a", body)
}

#[test]
fn every_answer_has_its_status() {
    let ordinary = "<!doctype html><title>A</title><h1>A</h1><p>Some words to read.";
    let mut plain = bare("plain words");
    plain.headers = vec![("content-type".to_owned(), "text/plain".to_owned())];
    let mut image = bare("\u{89}PNG\r\n");
    image.headers = vec![("content-type".to_owned(), "image/png".to_owned())];
    let cases = [
        (Served::product(), Status::Completed),
        (bare(ordinary), Status::Completed),
        (bare(ordinary).status(401), Status::Blocked),
        (bare(ordinary).status(402), Status::Blocked),
        (bare(ordinary).status(403), Status::Blocked),
        (bare(ordinary).status(429), Status::Blocked),
        (bare(ordinary).status(451), Status::Blocked),
        (bare(CHALLENGE).status(503), Status::Blocked),
        (bare(CHALLENGE), Status::Blocked),
        (bare(ordinary).header("cf-mitigated", "challenge"), Status::Blocked),
        (bare(ordinary).status(404), Status::NotFound),
        (bare(ordinary).status(410), Status::NotFound),
        (
            bare("<!doctype html><title>Page not found</title><h1>404</h1><p>Sorry."),
            Status::NotFound,
        ),
        (
            bare("<!doctype html><title>Sayfa bulunamadı</title><h1>Sayfa bulunamadı</h1>"),
            Status::NotFound,
        ),
        (bare(ordinary).status(500), Status::ServerError),
        (bare(ordinary).status(503), Status::ServerError),
        (plain, Status::NotHtml),
        (image, Status::NotHtml),
    ];
    for (page, status) in cases {
        let result = page.judged();
        let about = format!("{} {:?}", page.status, String::from_utf8_lossy(&page.body));
        assert_eq!(result.status, status, "{about}");
        let has_page = status.has_page();
        assert_eq!(result.signals.is_empty(), !has_page, "{about}");
        assert_eq!(result.raw_score.is_some(), has_page, "{about}");
        assert!(!result.summary.is_empty() && !result.summary.contains('{'), "{}", result.summary);
        if !has_page {
            assert_eq!(result.gpt_visibility_score, 0, "{about}");
        }
    }
}

#[test]
fn failures_of_the_network_are_distinguished_from_refusals() {
    let host = || "example.com".to_owned();
    let failures = [
        FetchError::Dns { host: host() },
        FetchError::Connect { host: host() },
        FetchError::Tls { host: host(), problem: TlsError::Expired },
        FetchError::Timeout { after_ms: 10_000 },
        FetchError::Deadline,
        FetchError::RedirectLoop { hops: Vec::new() },
        FetchError::TooManyRedirects { hops: Vec::new() },
        FetchError::BadRedirect { hops: Vec::new() },
        FetchError::Denied { after_redirect: true },
        FetchError::Protocol { reason: "no HTTP".to_owned() },
    ];
    let mut summaries = Vec::new();
    for failure in failures {
        let report = audit(&bare("").answered(Err(failure.clone())));
        for lang in Lang::ALL {
            let result = report.result(lang);
            assert_eq!(result.status, Status::Unreachable, "{failure:?}");
            assert_eq!((result.gpt_visibility_score, result.http_status), (0, None));
            assert!(
                !result.summary.contains('{') && !result.summary.contains("audit_status"),
                "{}",
                result.summary
            );
            summaries.push(result.summary);
        }
    }
    summaries.sort();
    summaries.dedup();
    assert!(summaries.len() >= 14, "failures read alike: {summaries:#?}");
}

#[test]
fn a_page_that_was_read_in_part_is_partial() {
    let page = Served::product();
    for end in [BodyEnd::Capped, BodyEnd::TimedOut, BodyEnd::Broken] {
        let mut snapshot = page.snapshot();
        if let Ok(response) = &mut snapshot.result {
            response.body_end = end;
        }
        let result = audit(&snapshot).result(Lang::En);
        assert_eq!(result.status, Status::Partial, "{end:?}");
        assert!(result.gpt_visibility_score > 0);
    }
    let mut broken = page;
    broken.body.extend(b"<p>\xff\xfe\xff broken</p>");
    assert_eq!(broken.judged().status, Status::Partial);
}
