//! JSON-LD of fixes in a real processor: every property and type that is offered exists in schema.org.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

use futures_util::FutureExt as _;
use visibility_core::audit::audit;
use visibility_core::audit::request::AuditRequest;
use visibility_core::audit::snapshot::AuditId;
use visibility_core::audit::visit::visit;
use visibility_core::rubric::fix::{self, Platform};
use visibility_core::text::locale::Lang;
use visibility_tests::fixes::scored;
use visibility_tests::pages;
use visibility_tests::site::{self, Reply, Site, USER_AGENT};
use visibility_tests::typical;

const START: &str = "<script type=\"application/ld+json\">";
const END: &str = "</script>";

/// The JSON-LD in the elements of a text.
fn blocks(text: &str) -> Vec<String> {
    let parts = text.split(START).skip(1).filter_map(|part| part.split_once(END));
    parts.map(|(block, _)| block.to_owned()).collect()
}

/// A page without its JSON-LD, so that there is something to offer.
fn without_blocks(html: &str) -> String {
    let mut parts = html.split(START);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |page, part| page + part.split_once(END).map_or(part, |(_, rest)| rest))
}

/// The JSON-LD that a scan of a site offers.
fn offered_by_scan(site: &Site) -> Vec<String> {
    let (_, judged) = scored(site);
    let fixes = judged.iter().filter_map(|one| one.finding.fix());
    let files = fixes.flat_map(|fix| fix::files(&fix.edits, Platform::Generic));
    files.flat_map(|file| blocks(&file.content)).collect()
}

/// The JSON-LD that an audit of a page offers.
fn offered_by_audit(site: &Site, path: &str) -> Vec<String> {
    let url = format!("https://{}{path}", site.host);
    let request = AuditRequest {
        id: AuditId::from_content([url.as_bytes()]),
        url: url.parse().expect("a page"),
        taken_at: site::now(),
        user_agent: USER_AGENT.to_owned(),
        profile: None,
    };
    let page = visit(site, &request).now_or_never().expect("no fixture waits");
    let fixes = audit(&page.expect("the page answers")).result(Lang::En).fixes;
    let texts = fixes.into_iter().flat_map(|fix| {
        fix.snippet.into_iter().chain(fix.files.into_iter().map(|file| file.content))
    });
    texts.flat_map(|text| blocks(&text)).collect()
}

/// What is offered on every fixture, with the name of the fixture.
fn offered() -> Vec<(String, String)> {
    let mut offered = BTreeMap::new();
    let mut add = |name: &str, blocks: Vec<String>| {
        for block in blocks {
            offered.entry(block).or_insert_with(|| name.to_owned());
        }
    };
    let good = [
        site::good("good.example.com"),
        site::shop("shop.example.com"),
        site::bare_shop("bare.example.com"),
        site::login("login.example.com"),
    ];
    for site in typical::all().into_iter().map(|typical| typical.site).chain(good) {
        let name = site.host.clone();
        let bare = site.clone().editing_home(|reply| {
            reply.body = without_blocks(&String::from_utf8_lossy(&reply.body)).into_bytes();
        });
        for site in [site, bare].iter().filter(|site| site.scan().is_ok()) {
            add(&format!("scan of {name}"), offered_by_scan(site));
            add(&format!("audit of {name}"), offered_by_audit(site, "/"));
        }
    }
    for (name, html) in [
        ("product", pages::product()),
        ("turkish-product", pages::turkish_product()),
        ("article", pages::article()),
        ("landing", pages::landing()),
        ("shop", pages::shop(1)),
        ("bad", include_str!("../audit/bad.html").to_owned()),
    ] {
        let path = format!("/{name}");
        for html in [without_blocks(&html), html] {
            let site = Site::new("pages.example.com").with(&path, Reply::html(html));
            add(&format!("audit of the page {name}"), offered_by_audit(&site, &path));
        }
    }
    offered.into_iter().map(|(block, name)| (name, block)).collect()
}

#[test]
#[ignore = "needs the packages of json_ld.txt; `tests/run servers` has them"]
fn every_property_of_offered_json_ld_is_one_of_schema_org() {
    let python = std::env::var("JSON_LD_PYTHON").expect("JSON_LD_PYTHON is set by tests/run");
    let documents = offered();
    assert!(documents.len() > 10, "only {} documents", documents.len());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/integration/servers/json_ld.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python");
    let input = serde_json::to_vec(&documents).expect("JSON");
    child.stdin.take().expect("a pipe").write_all(&input).expect("a reader");
    let output = child.wait_with_output().expect("an end");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let report = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{report}");
    assert!(report.contains(&format!("{} documents expanded", documents.len())), "{report}");
}
