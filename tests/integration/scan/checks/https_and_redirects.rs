//! Sites for `https-and-redirects`.

use visibility_core::fetch::{FetchError, Resource, TlsError};
use visibility_core::scan::checks::find;
use visibility_tests::fixes::scored;
use visibility_tests::site::{Reply, Site, good, good_home};

use super::{Case, case};

const HOST: &str = "example.com";

fn site() -> Site {
    good(HOST)
}

fn home() -> Reply {
    Reply::html(good_home(HOST))
}

/// `/` leads to the home page over this many redirects.
fn chain(hops: usize) -> Site {
    let mut chained = site();
    for hop in 0..hops {
        let from = if hop == 0 { "/".to_owned() } else { format!("/{hop}") };
        chained = chained.with(&from, Reply::redirect(301, &format!("/{}", hop + 1)));
    }
    chained.with(&format!("/{hops}"), home())
}

fn refreshing(content: &str) -> Site {
    let refresh = format!("<head><meta http-equiv=\"refresh\" content=\"{content}\">");
    site().with("/", Reply::html(good_home(HOST).replacen("<head>", &refresh, 1)))
}

/// A home page that is nothing but a refresh.
fn splash(content: &str) -> Site {
    let refresh =
        format!("<head><meta http-equiv=\"refresh\" content=\"{content}\"></head><body></body>");
    site().with("/", Reply::html(refresh)).with("/en", home())
}

#[test]
fn a_refresh_at_once_is_followed_within_the_domain_and_only_once() {
    let elsewhere = splash("0; URL=https://example.org/").with("https://example.org/", home());
    let twice = splash("0; URL=/a").with("/a", splash_page("/en"));
    let later = splash("5; URL=/en");
    let missing = splash("0; URL=/nothing").with("/nothing", Reply::error(404));
    for (site, cap) in [
        (splash("0; URL=/en"), None),
        (
            splash("0; URL=https://www.example.com/en").with("https://www.example.com/en", home()),
            None,
        ),
        (elsewhere, Some("nothing-to-read")),
        (twice, Some("nothing-to-read")),
        (later, Some("nothing-to-read")),
        (missing, Some("nothing-to-read")),
    ] {
        let (score, _) = scored(&site);
        assert_eq!(score.caps.first().map(|cap| cap.id), cap);
    }
    let snapshot = splash("0; URL=/en").scan().unwrap();
    let home = snapshot.response(&Resource::Home).unwrap();
    assert_eq!((home.url.path(), home.hops.len()), ("/en", 1));
}

fn splash_page(target: &str) -> Reply {
    Reply::html(format!("<meta http-equiv=\"refresh\" content=\"0; url={target}\">"))
}

fn faulty(problem: TlsError) -> Site {
    let host = "example.com:443".to_owned();
    site().failing("/", FetchError::Tls { host, problem })
}

fn closed(address: &str) -> FetchError {
    FetchError::Connect { host: address.to_owned() }
}

/// The apex leads to `www`, which serves the page.
fn on_www() -> Site {
    let www = "https://www.example.com/";
    site().with("/", Reply::redirect(301, www)).with(www, home())
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = passing();
    cases.extend(redirecting());
    cases.extend(failing());
    cases.extend(at_other_names());
    cases
}

fn passing() -> Vec<Case> {
    let hsts = home().header("strict-transport-security", "max-age=31536000");
    let closed_http = site().failing("http://example.com/", closed("example.com:80"));
    let forbidden_http = site().with("http://example.com/", Reply::error(403));
    let on_path = site().with("/", Reply::redirect(302, "/en")).with("/en", home());
    let moved = site()
        .with("/", Reply::redirect(301, "https://example.org/"))
        .with("https://example.org/", home());
    let local = Site::new("localhost").with("http://localhost/", home());
    let bots_refused = site().for_user_agent("VisibilityBot", Reply::error(403));
    vec![
        case("the good site", "secure", site()).also(&[
            "http-upgraded",
            "other-host-joined",
            "certificate",
            "no-hsts",
        ]),
        case("strict transport security", "secure", site().with("/", hsts)).also(&["hsts"]),
        case("a certificate that ends soon", "secure", site().certificate_days(13))
            .also(&["certificate-ends-soon"]),
        case("a certificate with two weeks", "secure", site().certificate_days(14))
            .also(&["certificate"]),
        case("port 80 is closed", "secure", closed_http).also(&["http-closed"]),
        case("port 80 serves nothing", "secure", forbidden_http).also(&["http-closed"]),
        case("www has no address", "secure", Site::new(HOST).with("/", home()))
            .also(&["other-host-silent"]),
        case(
            "www has a faulty certificate",
            "secure",
            site().failing(
                "https://www.example.com/",
                FetchError::Tls { host: "www".to_owned(), problem: TlsError::WrongName },
            ),
        )
        .also(&["other-host-silent"]),
        case(
            "www answers 404",
            "secure",
            site().with("https://www.example.com/", Reply::error(404)),
        )
        .also(&["other-host-silent"]),
        case("the apex leads to www", "secure", on_www()).also(&["other-host-joined"]),
        case("two redirects with the one of port 80", "secure", chain(1)),
        case("a temporary redirect to a path", "secure", on_path),
        case("another domain", "secure", moved).also(&["other-domain"]),
        case("a page that reloads itself", "secure", refreshing("600")),
        case("a page that reloads its own address", "secure", refreshing("600; url=/")),
        case("a development server", "local-site", local),
        case("bots are refused, browsers are not", "secure", bots_refused),
    ]
}

fn redirecting() -> Vec<Case> {
    let temporary = Reply::redirect(302, "https://example.com/");
    let to_www = site()
        .with("/", Reply::redirect(307, "https://www.example.com/"))
        .with("https://www.example.com/", home());
    let sideways = Reply::redirect(301, "http://www.example.com/");
    let straight =
        chain(5).with("http://example.com/", Reply::redirect(301, "https://example.com/5"));
    vec![
        case("three redirects", "long-chain", chain(2)),
        case("five redirects", "long-chain", chain(4)),
        case("five redirects that port 80 avoids", "long-chain", straight),
        case("six redirects", "too-many-redirects", chain(5)),
        case("more redirects than are followed", "too-many-redirects", chain(7)),
        case("302 to https", "temporary-redirect", site().with("http://example.com/", temporary)),
        case("307 to www", "temporary-redirect", to_www),
        case("port 80 serves the page", "http-serves", site().with("http://example.com/", home())),
        case("http to http", "http-not-upgraded", site().with("http://example.com/", sideways)),
        case("a meta refresh", "meta-refresh", refreshing("0; URL='/en'")),
        case("a meta refresh to a page", "meta-refresh", splash("0; URL=/en")),
        case(
            "www serves the page, too",
            "split-host",
            site().with("https://www.example.com/", home()),
        ),
        case(
            "www leads elsewhere",
            "split-host",
            site().with("https://www.example.com/", Reply::redirect(301, "https://shop.example/")),
        ),
    ]
}

/// The home page is at `www`, and the apex leads nowhere.
fn only_at_www() -> Site {
    site().with("https://www.example.com/", home())
}

fn at_other_names() -> Vec<Case> {
    let nothing = || only_at_www().with("/", Reply::error(404));
    let closed = only_at_www()
        .failing("/", closed("example.com:443"))
        .failing("http://example.com/", closed("example.com:80"));
    let default_page = Reply::html(
        "<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is \
         successfully installed and working. <a href=\"http://nginx.org/\">nginx.org</a></p>",
    );
    let moved = nothing()
        .with("https://www.example.com/", Reply::redirect(302, "https://www.example.com/en/"))
        .with("https://www.example.com/en/", home());
    let other_brand = nothing()
        .with("https://www.example.com/", Reply::redirect(302, "https://example.org/"))
        .with("https://example.org/", home());
    let empty = nothing().with("https://www.example.com/", Reply::html("<h1>Hello</h1>"));
    vec![
        case("the site is at www alone", "site-elsewhere", nothing()),
        case("the apex is closed, www is not", "site-elsewhere", closed),
        case(
            "the apex shows what its server was installed with",
            "site-elsewhere",
            only_at_www().with("/", default_page),
        ),
        case("the apex fails", "site-elsewhere", nothing().with("/", Reply::error(500))),
        case("www leads on to a path", "site-elsewhere", moved),
        case("www leads to another domain", "home-status", other_brand),
        case("www says nothing, either", "home-status", empty),
    ]
}

fn failing() -> Vec<Case> {
    let http_only =
        site().failing("/", closed("example.com:443")).with("http://example.com/", home());
    let looping =
        site().with("/", Reply::redirect(301, "/a")).with("/a", Reply::redirect(301, "/"));
    let downgrading = site()
        .with("/", Reply::redirect(301, "http://example.com/"))
        .with("http://example.com/", home());
    let denied = FetchError::Denied { after_redirect: true };
    let silent = FetchError::Timeout { after_ms: 10_000 };
    let challenged = Reply::error(403).header("cf-mitigated", "challenge");
    let dropped = site().failing("/", silent.clone()).with("http://example.com/", home());
    let challenged_http = site()
        .failing("/", closed("example.com:443"))
        .with("http://example.com/", Reply::error(503).header("cf-mitigated", "challenge"));
    vec![
        case("an expired certificate", "tls-faulty", faulty(TlsError::Expired)),
        case("a certificate for another name", "tls-faulty", faulty(TlsError::WrongName)),
        case("http only", "no-https", http_only).also(&["http-serves"]),
        case("a firewall drops https", "no-https", dropped).also(&["http-serves"]),
        case("no https, and a challenge over http", "no-https", challenged_http)
            .also(&["http-closed"]),
        case("a loop", "redirect-loop", looping),
        case("https to http", "insecure-end", downgrading).also(&["http-serves"]),
        case(
            "a redirect to a name without address",
            "dead-redirect",
            site().with("/", Reply::redirect(301, "https://gone.example/")),
        ),
        case("a redirect to a private address", "dead-redirect", site().failing("/", denied)),
        case("the home page is gone", "home-status", site().with("/", Reply::error(404))),
        case("everybody is refused", "refused", site().with("/", Reply::error(403))),
        case("everybody is challenged", "refused", site().with("/", challenged)),
        case("no answer over https", "no-response", site().failing("/", silent)),
        case("no answer before the end", "unreadable", site().failing("/", FetchError::Deadline)),
    ]
}

#[test]
fn what_is_pasted_names_both_hosts_and_the_canonical_one() {
    let site = site().with("https://www.example.com/", home()).scan().expect("a scan");
    let finding = (find("https-and-redirects").expect("a check").evaluate)(&site);
    let pasted = finding.snippet().expect("a snippet");
    for line in [
        "    server_name example.com www.example.com;\n",
        "    listen 443 ssl;\n    server_name www.example.com;\n",
        "    return 301 https://example.com$request_uri;\n",
    ] {
        assert!(pasted.contains(line), "{line}: {pasted}");
    }
}

#[test]
fn the_end_of_a_certificate_may_be_any_number() {
    for (not_after, outcome) in [(i64::MIN, "certificate-ends-soon"), (i64::MAX, "certificate")] {
        let mut site = site().scan().expect("a scan");
        let mut home = site.exchange(&Resource::Home).expect("a home page").clone();
        let response = home.result.as_mut().expect("a response");
        response.tls.as_mut().expect("a session").not_after = not_after;
        site.record(home.probe, home.result);
        let finding = (find("https-and-redirects").expect("a check").evaluate)(&site);
        let found = finding.detections().iter().any(|signal| signal.outcome.id == outcome);
        assert!(found, "{not_after}");
    }
}

tests_of!("https-and-redirects");
