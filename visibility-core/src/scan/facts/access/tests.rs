use url::Url;

use super::*;
use crate::fetch::{
    BodyEnd, FetchError, FetchResult, Headers, Probe, Redirects, Resource, Response, SkipReason,
};
use crate::scan::snapshot::SiteSnapshot;
use crate::text::locale::{Catalog, Lang};

const HOME: &str = "<!doctype html><html><body><p>Much to read here, for people and agents.</p>\
                    </body></html>";

fn probe(resource: Resource, path: &str) -> Probe {
    Probe {
        resource,
        url: Url::parse("https://example.com").unwrap().join(path).unwrap(),
        user_agent: String::new(),
        accept: String::new(),
        redirects: Redirects::Follow,
        max_body_bytes: 1_000_000,
    }
}

fn response(path: &str, status: u16, body: &str) -> Response {
    Response {
        url: Url::parse("https://example.com").unwrap().join(path).unwrap(),
        status,
        version: "HTTP/1.1".to_owned(),
        headers: Headers::default(),
        body: body.to_owned().into(),
        body_end: BodyEnd::Complete,
        wire_bytes: 0,
        hops: Vec::new(),
        ttfb_ms: 1,
        total_ms: 1,
        retries: 0,
        tls: None,
    }
}

fn with_field(response: Response, name: &str, value: &str) -> Response {
    let mut response = response;
    response.headers.append(name, value);
    response
}

fn page(body: &str) -> Response {
    with_field(response("/", 200, body), "content-type", "text/html; charset=utf-8")
}

/// A site with this home page and this answer for `/robots.txt`.
fn site(home: Response, robots: FetchResult) -> SiteSnapshot {
    let taken_at = chrono::DateTime::from_timestamp(1_790_000_000, 0).unwrap();
    let mut site = SiteSnapshot::new("example.com".parse().unwrap(), taken_at);
    site.record(probe(Resource::Home, "/"), Ok(home));
    site.record(probe(Resource::RobotsTxt, "/robots.txt"), robots);
    site
}

fn site_with_rules(robots: &str) -> SiteSnapshot {
    site(page(HOME), Ok(response("/robots.txt", 200, robots)))
}

fn row(site: &SiteSnapshot, id: &str) -> AgentAccess {
    matrix(site).into_iter().find(|row| row.agent.id == id).unwrap()
}

fn verdict(site: &SiteSnapshot, id: &str) -> (Access, Basis, Effective) {
    let row = row(site, id);
    (row.access, row.basis, row.effective)
}

#[test]
fn the_rule_that_decided_is_named_with_its_group() {
    let site = site_with_rules("User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n");
    let rows = matrix(&site);
    assert_eq!(rows.len(), 27);
    let gptbot = row(&site, "openai-gptbot");
    assert_eq!((gptbot.access, gptbot.basis), (Access::Blocked, Basis::SpecificGroup));
    assert_eq!(gptbot.effective, Effective::BlockedByRobots);
    let rule = AccessRule { group_line: 4, line: Some(5), text: Some("Disallow: /".to_owned()) };
    assert_eq!(gptbot.rule, Some(rule));
    assert_eq!(gptbot.paths, [("/".to_owned(), false)]);

    let claude = row(&site, "anthropic-claudebot");
    assert_eq!((claude.access, claude.basis), (Access::Allowed, Basis::WildcardGroup));
    assert_eq!(claude.effective, Effective::Untested);
    assert_eq!(claude.rule.and_then(|rule| rule.text).as_deref(), Some("Allow: /"));
}

#[test]
fn documented_fallbacks_apply_when_no_group_names_the_agent() {
    let site = site_with_rules(
        "User-agent: Googlebot\nUser-agent: Yandex\nDisallow: /\nUser-agent: *\nAllow: /\n",
    );
    for id in ["apple-applebot", "yandex-additional"] {
        let row = row(&site, id);
        assert_eq!((row.access, row.basis), (Access::Blocked, Basis::FallbackGroup), "{id}");
    }
    assert_eq!(row(&site, "microsoft-bingbot").basis, Basis::WildcardGroup);
    // Token of a control, not of a crawler: it has no fallback.
    assert_eq!(row(&site, "apple-applebot-extended").access, Access::Allowed);

    let site = site_with_rules(
        "User-agent: Googlebot\nDisallow: /\nUser-agent: YandexAdditionalBot\nDisallow:\n",
    );
    assert_eq!(row(&site, "yandex-additional").basis, Basis::SpecificGroup);
    assert_eq!(row(&site, "microsoft-bingbot").basis, Basis::NoMatchingGroup);
    assert_eq!(row(&site, "microsoft-bingbot").rule, None);
}

#[test]
fn the_state_of_the_file_decides_when_there_are_no_rules() {
    let challenge = with_field(response("/robots.txt", 403, ""), "cf-mitigated", "challenge");
    let html = response("/robots.txt", 200, "<!doctype html><title>x</title>");
    let status = |status| Ok(response("/robots.txt", status, "User-agent: *\nDisallow: /"));
    for (answer, access, basis, effective) in [
        (status(404), Access::Allowed, Basis::RobotsMissing, Effective::Untested),
        (status(401), Access::Allowed, Basis::RobotsMissing, Effective::Untested),
        (status(429), Access::Allowed, Basis::RobotsMissing, Effective::Untested),
        (Ok(html), Access::Allowed, Basis::RobotsNotText, Effective::Untested),
        (status(503), Access::Blocked, Basis::RobotsUnreachable, Effective::BlockedByRobots),
        (
            Err(FetchError::Timeout { after_ms: 10_000 }),
            Access::Blocked,
            Basis::RobotsUnreachable,
            Effective::BlockedByRobots,
        ),
        (Ok(challenge), Access::Unknown, Basis::RobotsChallenged, Effective::Unknown),
        (Err(FetchError::Deadline), Access::Unknown, Basis::FetchFailed, Effective::Unknown),
    ] {
        let site = site(page(HOME), answer);
        assert_eq!(verdict(&site, "openai-gptbot"), (access, basis, effective));
        assert_eq!(row(&site, "openai-gptbot").paths.is_empty(), access == Access::Unknown);
    }
}

#[test]
fn vendors_that_differ_from_rfc_9309_have_a_note_when_the_file_is_unreachable() {
    let site = site(page(HOME), Ok(response("/robots.txt", 500, "")));
    let expected = (Access::Blocked, Basis::RobotsUnreachable, Effective::BlockedByRobots);
    assert_eq!(verdict(&site, "amazon-amazonbot"), expected);
    for (id, note) in [
        ("amazon-amazonbot", Some("unreachable-ignored")),
        ("yandex-additional", Some("unreachable-open")),
        ("google-googlebot", Some("unreachable-cached")),
        ("amazon-amzn-searchbot", None),
        ("openai-gptbot", None),
    ] {
        let row = row(&site, id);
        assert_eq!((row.access, row.note), (Access::Blocked, note), "{id}");
        if let Some(note) = note {
            for lang in Lang::ALL {
                assert!(
                    Catalog::for_lang(lang).find(&["access_notes", note]).is_some(),
                    "{lang} {note}"
                );
            }
        }
    }
    assert!(matrix(&site_with_rules("")).iter().all(|row| row.note.is_none()));
}

#[test]
fn some_blocked_paths_are_partial_and_the_first_one_is_named() {
    let site = site_with_rules("User-agent: *\nDisallow: /a\nDisallow: /b\n");
    let agents = [Registry::embedded().find("CCBot").unwrap()];
    let paths = ["/", "/b/x", "/a", "/c"].map(str::to_owned);
    let verdict = rules::verdicts(site.robots(), &agents, &paths).remove(0);
    assert_eq!(verdict.access, Access::Partial);
    assert_eq!(verdict.rule.and_then(|rule| rule.line), Some(3));
    let allowed: Vec<bool> = verdict.paths.iter().map(|(_, allowed)| *allowed).collect();
    assert_eq!(allowed, [true, false, false, true]);
}

#[test]
fn advice_and_opt_out_tokens_are_said_to_be_so() {
    let site = site_with_rules("User-agent: *\nDisallow: /\n");
    let advisory: Vec<String> = matrix(&site)
        .into_iter()
        .filter(|row| row.advisory)
        .map(|row| row.agent.name.clone())
        .collect();
    assert_eq!(
        advisory,
        ["ChatGPT-User", "Perplexity-User", "Google-Agent", "meta-externalfetcher", "Amzn-User"]
    );
    let tokens: Vec<String> = matrix(&site)
        .into_iter()
        .filter(|row| row.effective == Effective::OptOutToken)
        .map(|row| row.agent.name.clone())
        .collect();
    assert_eq!(tokens, ["Google-Extended", "Applebot-Extended"]);
    assert_eq!(row(&site, "google-extended").access, Access::Blocked);
}

#[test]
fn directives_of_the_header_concern_whom_they_name() {
    let home = with_field(page(HOME), "x-robots-tag", "noarchive, gptbot: noindex, max-snippet:-1");
    let site = site(home, Ok(response("/robots.txt", 404, "")));
    let gptbot = row(&site, "openai-gptbot").page_directives;
    assert_eq!(gptbot, ["noarchive (X-Robots-Tag)", "noindex (X-Robots-Tag: gptbot)"]);
    assert_eq!(row(&site, "google-googlebot").page_directives, ["noarchive (X-Robots-Tag)"]);
    assert!(row(&site, "google-extended").page_directives.is_empty());
}

#[test]
fn usage_preferences_are_those_of_the_agents_group() {
    let robots = "User-agent: *\nContent-Signal: search=yes, ai-train=no\n\
                  Content-Usage: /a train-ai=n\nAllow: /\n\nUser-agent: CCBot\nDisallow:\n";
    let home = with_field(page(HOME), "content-usage", "train-ai=n");
    let site = site(home, Ok(response("/robots.txt", 200, robots)));
    assert_eq!(
        row(&site, "openai-gptbot").usage,
        [
            "search=yes (Content-Signal, line 2)",
            "ai-train=no (Content-Signal, line 2)",
            "/a train-ai=n (Content-Usage, line 3)",
            "train-ai=n (Content-Usage header)",
        ]
    );
    assert_eq!(row(&site, "commoncrawl-ccbot").usage, ["train-ai=n (Content-Usage header)"]);
}

#[test]
fn a_probe_is_judged_by_its_status_and_header() {
    let plain = |status| response("/", status, "");
    for (answer, expected, status) in [
        (Ok(page(HOME)), ProbeVerdict::Ok, Some(200)),
        (Ok(plain(401)), ProbeVerdict::Blocked, Some(401)),
        (Ok(plain(403)), ProbeVerdict::Blocked, Some(403)),
        (Ok(plain(406)), ProbeVerdict::Blocked, Some(406)),
        (Ok(plain(451)), ProbeVerdict::Blocked, Some(451)),
        (Ok(plain(402)), ProbeVerdict::Paywalled, Some(402)),
        (
            Ok(with_field(plain(403), "crawler-price", "USD 0.01")),
            ProbeVerdict::Paywalled,
            Some(403),
        ),
        (Ok(plain(429)), ProbeVerdict::RateLimited, Some(429)),
        (Ok(with_field(plain(503), "retry-after", "5")), ProbeVerdict::RateLimited, Some(503)),
        (Ok(plain(503)), ProbeVerdict::Error, Some(503)),
        (
            Ok(with_field(plain(401), "accept-signature", "sig1=()")),
            ProbeVerdict::NeedsSignature,
            Some(401),
        ),
        (
            Ok(with_field(plain(403), "cf-mitigated", "challenge")),
            ProbeVerdict::Challenged,
            Some(403),
        ),
        (Err(FetchError::Timeout { after_ms: 10_000 }), ProbeVerdict::Error, None),
        (
            Err(FetchError::Skipped { reason: SkipReason::SwitchedOff }),
            ProbeVerdict::NotProbed,
            None,
        ),
    ] {
        let mut site = site_with_rules("");
        site.record(probe(Resource::HomeAsBrowser, "/"), Ok(page(HOME)));
        let resource = Resource::HomeAsAgent("openai-gptbot".to_owned());
        site.record(probe(resource, "/"), answer);
        let expected = ProbeResult { verdict: expected, status };
        assert_eq!(probe_result(&site, "openai-gptbot"), expected);
        assert_eq!(row(&site, "openai-gptbot").probe, expected);
        assert_eq!(probe_result(&site, "openai-oai-searchbot").verdict, ProbeVerdict::NotProbed);
    }
}

#[test]
fn a_wall_overrides_what_the_rules_allow() {
    for (robots, status, expected) in [
        ("", 403, Effective::BlockedByWall),
        ("", 500, Effective::Unknown),
        ("", 429, Effective::Unknown),
        ("User-agent: *\nDisallow: /", 403, Effective::BlockedByRobots),
        ("User-agent: *\nDisallow: /", 200, Effective::BlockedByRobots),
    ] {
        let mut site = site_with_rules(robots);
        let resource = Resource::HomeAsAgent("openai-gptbot".to_owned());
        site.record(probe(resource, "/"), Ok(response("/", status, HOME)));
        assert_eq!(row(&site, "openai-gptbot").effective, expected, "{robots} {status}");
    }
}

#[test]
fn without_a_probe_a_home_page_that_refuses_leaves_reach_unknown() {
    let challenge = with_field(response("/", 403, ""), "cf-mitigated", "challenge");
    for home in [challenge, response("/", 403, ""), response("/", 500, "")] {
        let site = site(home, Ok(response("/robots.txt", 404, "")));
        assert_eq!(row(&site, "openai-gptbot").effective, Effective::Unknown);
    }
}

#[test]
fn less_than_half_of_the_text_is_reduced() {
    let text = |words: usize| page(&format!("<html><body><p>{}</p></body>", "word ".repeat(words)));
    for (shown, expected) in
        [(100, ProbeVerdict::Ok), (60, ProbeVerdict::Ok), (40, ProbeVerdict::Reduced)]
    {
        for browser in [None, Some(text(100))] {
            let mut site = site(text(100), Ok(response("/robots.txt", 404, "")));
            if let Some(browser) = browser {
                site.record(probe(Resource::HomeAsBrowser, "/"), Ok(browser));
            }
            let resource = Resource::HomeAsAgent("openai-gptbot".to_owned());
            site.record(probe(resource, "/"), Ok(text(shown)));
            assert_eq!(probe_result(&site, "openai-gptbot").verdict, expected, "{shown}");
        }
    }
}

#[test]
fn the_first_links_to_pages_of_the_same_host_are_tested() {
    let home = "<!doctype html><body><a href='https://www.example.com/x'>x</a><a href='/a?b'>b</a>\
                <a href='#c'>c</a><a href='/c#d'>d</a><a href='/e.pdf'>e</a><a href='/'>f</a>\
                <a href='g/'>g</a><a href='/g/'>h</a><a href='mailto:a@example.com'>i</a>\
                <a href='https://example.com/j.html'>j</a>";
    let mut site = site(page(home), Ok(response("/robots.txt", 404, "")));
    assert_eq!(sample_paths(&site), ["/", "/g/", "/j.html"]);

    let sitemap = "<?xml version=\"1.0\"?>\
        <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
        <url><loc>https://example.com/g/</loc></url><url><loc>https://example.com/k</loc></url>\
        <url><loc>https://example.com/l</loc></url></urlset>";
    site.record(
        probe(Resource::Sitemap, "/sitemap.xml"),
        Ok(response("/sitemap.xml", 200, sitemap)),
    );
    assert_eq!(sample_paths(&site), ["/", "/g/", "/j.html", "/k"]);
}

#[test]
fn elements_of_the_page_concern_whom_they_name() {
    let home = page(
        "<!doctype html><html><head>\n<meta name=robots content='nosnippet'>\n\
         <meta name=Googlebot content='noindex'>\n</head><body>x</body></html>",
    );
    let site = site(home, Ok(response("/robots.txt", 404, "")));
    assert_eq!(
        row(&site, "google-googlebot").page_directives,
        ["nosnippet (meta robots, line 2)", "noindex (meta googlebot, line 3)"]
    );
    let bingbot = row(&site, "microsoft-bingbot").page_directives;
    assert_eq!(bingbot, ["nosnippet (meta robots, line 2)"]);
}

#[test]
fn the_root_is_always_tested() {
    assert_eq!(sample_paths(&site_with_rules("")), ["/"]);
}

#[test]
fn the_home_page_is_read_once() {
    let mut site = site_with_rules("");
    let text = |site: &SiteSnapshot| site.page().map(|page| page.visible_text.as_ptr());
    let read = text(&site);
    site.record(probe(Resource::HttpHome, "/"), Ok(page(HOME)));
    assert_eq!(text(&site), read);
    site.record(probe(Resource::Home, "/"), Err(FetchError::Deadline));
    site.record(probe(Resource::HttpHome, "/"), Ok(page("<!doctype html><p>Plain</p>")));
    assert_eq!(site.page().map(|page| page.visible_text.as_str()), Some("Plain"));
}

#[test]
fn equal_bodies_have_the_text_of_the_home_page() {
    let agent = |id: &str| Resource::HomeAsAgent(id.to_owned());
    // The type would make it two characters, but a known body is not read again.
    let body = "<!doctype html><p>\u{15f}</p>";
    let typed = with_field(response("/", 200, body), "content-type", "text/html; charset=latin1");
    let mut site = site(page(body), Ok(response("/robots.txt", 404, "")));
    site.record(probe(Resource::HomeAsBrowser, "/"), Ok(page("<!doctype html><p>abc</p>")));
    site.record(probe(agent("same"), "/"), Ok(typed));
    site.record(probe(agent("refused"), "/"), Ok(response("/", 403, body)));
    let cases = [
        (Resource::Home, Some(1)),
        (Resource::HomeAsBrowser, Some(3)),
        (agent("same"), Some(1)),
        (agent("refused"), None),
        (Resource::RobotsTxt, None),
    ];
    for (resource, chars) in cases {
        assert_eq!(site.visible_chars(&resource), chars, "{resource:?}");
    }
}

#[test]
fn the_matrix_is_kept_until_another_answer_comes() {
    let mut site = site_with_rules("");
    assert!(std::ptr::eq(site.matrix(), site.matrix()));
    assert!(site.matrix().iter().all(|row| row.access == Access::Allowed));
    let closed = response("/robots.txt", 200, "User-agent: *\nDisallow: /");
    site.record(probe(Resource::RobotsTxt, "/robots.txt"), Ok(closed));
    assert!(site.matrix().iter().any(|row| row.access == Access::Blocked));
}

#[test]
fn a_row_shows_little_of_long_texts() {
    let long = "a".repeat(400_000);
    let mut robots = format!("User-agent: *\nDisallow: /*{}\n", "*".repeat(100_000));
    robots += &format!("Content-Usage: /{} train-ai=n\n", "b".repeat(20_000));
    robots += &"Content-Signal: search=yes, ai-train=no\n".repeat(50);
    let home = format!(
        "<meta name=robots content='max-snippet:{long}'><meta name=robots content='{}'>{HOME}",
        "noindex,".repeat(500)
    );
    let site = site(page(&home), Ok(response("/robots.txt", 200, &robots)));
    let rows = matrix(&site);
    let shown = |text: &String| text.chars().count() <= 200;
    for row in &rows {
        assert_eq!(row.access, Access::Blocked);
        assert!(row.rule.iter().flat_map(|rule| &rule.text).all(shown));
        assert_eq!(row.usage.len(), 20);
        assert!(row.page_directives.len() <= 20);
        assert!(row.page_directives.iter().all(shown));
    }
    assert!(rows.iter().any(|row| row.page_directives.len() == 20));
}

#[test]
fn what_is_said_stays_behind_a_long_path() {
    let robots = format!("User-agent: *\nContent-Usage: /{} train-ai=n\n", "b".repeat(20_000));
    let usage = row(&site_with_rules(&robots), "openai-gptbot").usage;
    assert_eq!(usage, [format!("/{}… train-ai=n (Content-Usage, line 2)", "b".repeat(198))]);
}
