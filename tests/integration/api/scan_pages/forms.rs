//! Forms that a browser would not send, and fields that people fill with anything.

use reqwest::Method;
use scraper::{Html, Selector};

use super::{Browser, ScanPage as _, public, scan, server};

#[tokio::test]
async fn forms_count_with_their_own_sign_alone() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    let form = browser.get("/").await.form_of_scan().with("target", "a.example.com");
    let mut other = Browser::new(&server);
    let foreign = other.get("/").await.form_of_scan().with("target", "a.example.com");
    for refused in [form.clone().without("csrf"), form.clone().with("csrf", ""), foreign] {
        assert_eq!(browser.submit(&refused).await.status, 403);
    }
    let mut without_cookie = Browser::new(&server);
    assert_eq!(without_cookie.submit(&form).await.status, 403);
    browser.extra = vec![("origin", "https://evil.example")];
    assert_eq!(browser.submit(&form).await.status, 403);
    browser.extra = vec![("sec-fetch-site", "cross-site")];
    assert_eq!(browser.submit(&form).await.status, 403);
    browser.extra = vec![];
    let twice = format!("csrf={}&target=a.example.com&target=b.example.com", form.fields["csrf"]);
    assert_eq!(browser.post("/scan", &twice).await.status, 400);
    assert_eq!(server.sites.requests(), 0);
    // Twice the same form is one scan.
    for _ in 0..2 {
        assert_eq!(browser.submit(&form).await.status, 303);
    }
}

#[tokio::test]
async fn a_field_with_no_domain_is_shown_again() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    let long = "a".repeat(8_000);
    for target in
        ["", "127.0.0.1", "localhost", "\"><script>alert(1)</script>", "a\u{0}b", long.as_str()]
    {
        let page = scan(&mut browser, target).await;
        assert_eq!(page.status, 400, "{target}");
        assert_eq!(page.texts("[role=alert]").len(), 1, "{target}");
        assert_eq!(page.texts("script:not([type='application/ld+json'])").len(), 0, "{target}");
        let html = Html::parse_document(&page.body);
        let field =
            Selector::parse("#target[aria-invalid=true][aria-describedby=target-error]").unwrap();
        assert_eq!(html.select(&field).count(), 1, "{target}");
    }
    assert_eq!(server.sites.requests(), 0);
}

/// Bodies of a form that is sent with its own sign, which is in the place of `SIGN`, and the status of the answer.
const BODIES: [(&str, u16); 24] = [
    ("", 403),
    ("csrf=SIGN", 400),
    ("csrf=SIGN&target=", 400),
    ("csrf=SIGN&csrf=SIGN&target=a.example.com", 400),
    ("csrf=SIGN&target=a.example.com&target=a.example.com", 400),
    ("csrf=SIGN&target=a.example.com&lang=en&lang=tr", 400),
    ("csrf=SIGN&target[]=a.example.com", 400),
    ("csrf[]=SIGN&target=a.example.com", 403),
    ("CSRF=SIGN&target=a.example.com", 403),
    ("csrf=%53IGN&target=a.example.com", 403),
    ("csrf=SIGN0&target=a.example.com", 403),
    ("csrf=&target=a.example.com", 403),
    ("csrf=%00&target=a.example.com", 403),
    ("csrf=SIGN&target=%00a.example.com", 400),
    ("csrf=SIGN&target=a.example.com%0d%0aHost:evil", 400),
    ("csrf=SIGN&target=%ff%fe", 400),
    ("csrf=SIGN&target=%zz", 400),
    ("csrf=SIGN&target=..%2f..%2fetc%2fpasswd", 400),
    ("csrf=SIGN&target=file:%2f%2f%2fetc%2fpasswd", 400),
    ("csrf=SIGN&target=http:%2f%2f169.254.169.254%2f", 400),
    ("csrf=SIGN&target=%5b::ffff:127.0.0.1%5d", 400),
    ("csrf=SIGN&target=0x7f000001", 400),
    ("csrf=SIGN&target=2130706433", 400),
    ("{\"csrf\":\"SIGN\",\"target\":\"a.example.com\"}", 403),
];

#[tokio::test]
async fn a_hostile_form_is_refused_with_a_page() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    browser.extra = vec![("accept", "text/html")];
    let sign = browser.get("/").await.form_of_scan().fields["csrf"].clone();
    for (body, status) in BODIES {
        let page = browser.post("/scan", &body.replace("SIGN", &sign)).await;
        assert_eq!(page.status, status, "{body}\n{}", page.body);
        assert!(page.header("content-type").starts_with("text/html"), "{body}");
        assert!(page.header("cache-control").contains("no-store"), "{body}");
        assert_eq!(page.texts("[role=alert]").len(), 1, "{body}");
    }
    assert_eq!(server.sites.requests(), 0);
}

/// Headers that a form of another kind or from elsewhere is sent with, and the status of the answer.
const HEADERS: [(&str, &str, u16); 10] = [
    ("content-type", "application/json", 415),
    ("content-type", "multipart/form-data; boundary=x", 415),
    ("content-type", "text/plain", 415),
    ("content-type", "", 415),
    ("content-encoding", "gzip", 415),
    ("origin", "https://evil.example", 403),
    ("origin", "http://localhost.evil.example", 403),
    ("sec-fetch-site", "cross-site", 403),
    ("sec-fetch-site", "same-site", 403),
    ("cookie", "visitor=forged", 403),
];

#[tokio::test]
async fn a_form_from_elsewhere_is_refused() {
    let server = server(public).await;
    let mut browser = Browser::new(&server);
    let sign = browser.get("/").await.form_of_scan().fields["csrf"].clone();
    let body = format!("csrf={sign}&target=a.example.com");
    for (name, value, status) in HEADERS {
        let mut request =
            browser.request(Method::POST, "/scan").body(body.clone()).build().unwrap();
        let headers = request.headers_mut();
        headers.insert("accept", "text/html".parse().unwrap());
        headers.insert("content-type", "application/x-www-form-urlencoded".parse().unwrap());
        headers.insert(name, value.parse().unwrap());
        let response = server.client.execute(request).await.unwrap();
        assert_eq!(response.status(), status, "{name}: {value}");
    }
    let large = format!("{body}&rest={}", "a".repeat(1024 * 1024));
    assert_eq!(browser.post("/scan", &large).await.status, 413);
    assert_eq!(server.sites.requests(), 0);
}
