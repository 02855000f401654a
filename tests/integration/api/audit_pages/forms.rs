//! Forms that a browser would not send, and fields that people fill with anything.

use scraper::{Html, Selector};

use super::{Browser, audit, form_of, server};

#[tokio::test]
async fn forms_count_with_their_own_sign_alone() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let form = form_of(&browser.get("/audit").await).with("url", super::PAGE);
    let foreign = form_of(&Browser::new(&server).get("/audit").await).with("url", super::PAGE);
    for refused in [form.clone().without("csrf"), form.clone().with("csrf", ""), foreign] {
        assert_eq!(browser.submit(&refused).await.status, 403);
    }
    assert_eq!(Browser::new(&server).submit(&form).await.status, 403);
    browser.extra = vec![("origin", "https://evil.example")];
    assert_eq!(browser.submit(&form).await.status, 403);
    browser.extra = vec![];
    assert_eq!(server.sites.requests(), 0);
    assert_eq!(browser.submit(&form).await.status, 303);
}

#[tokio::test]
async fn a_field_with_no_page_is_shown_again() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let long = format!("https://example.com/{}", "a".repeat(8_000));
    for url in [
        "",
        "two words",
        "ftp://example.com/",
        "https://user:password@example.com/",
        "http://127.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "\"><script>alert(1)</script>",
        "a\u{0}b",
        long.as_str(),
    ] {
        let page = audit(&mut browser, url).await;
        assert_eq!(page.status, 400, "{url}");
        assert_eq!(page.texts("[role=alert]").len(), 1, "{url}");
        assert_eq!(page.texts("script").len(), 0, "{url}");
        let html = Html::parse_document(&page.body);
        let field = Selector::parse("#url[aria-invalid=true][aria-describedby=url-error]").unwrap();
        assert_eq!(html.select(&field).count(), 1, "{url}");
    }
    assert_eq!(server.sites.requests(), 0);
}

#[tokio::test]
async fn the_kind_of_the_page_can_be_chosen() {
    let server = server().await;
    let mut browser = Browser::new(&server);
    let form = form_of(&browser.get("/audit").await).with("url", super::PAGE);
    let mut addresses = Vec::new();
    for (profile, kind) in
        [("product", "Kind of page: Product"), ("article", "Kind of page: Article")]
    {
        let sent = browser.submit(&form.clone().with("profile", profile)).await;
        let page = browser.get(sent.header("location")).await;
        assert!(page.body.contains(kind), "{}", page.body);
        addresses.push(sent.header("location").to_owned());
    }
    assert_ne!(addresses[0], addresses[1]);
    // A form that was changed by hand detects the kind.
    let sent = browser.submit(&form.with("profile", "<b>")).await;
    assert_eq!(sent.status, 303);
}

#[tokio::test]
async fn the_form_has_what_was_asked_for_in_its_field() {
    let server = server().await;
    let page = Browser::new(&server).get("/audit?url=https%3A%2F%2Fa.example.com%2F%22%3E").await;
    let form = form_of(&page);
    assert_eq!(form.fields["url"], "https://a.example.com/\">");
    assert_eq!(page.header("cache-control"), "private, no-store");
}
