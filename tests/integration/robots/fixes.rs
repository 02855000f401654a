//! robots.txt as fixes leave it: our parser and Google's read the same from it.

use std::collections::BTreeSet;

use visibility_core::agents::Registry;
use visibility_core::documents::robots::RobotsTxt;
use visibility_core::rubric::fix::Edit;
use visibility_tests::fixes::{Inputs, applied, scored};
use visibility_tests::site::{self, Site};
use visibility_tests::typical;

use super::oracle::{Oracle, Reply};
use super::ours;

const PATHS: [&str; 6] =
    ["/", "/docs/start", "/cart?step=2", "/admin/", "/wp-admin/admin-ajax.php", "/search?q=a"];

/// Each fix that edits robots.txt on a site: its check, and the file before and after it.
fn edited(site: &Site) -> Vec<(&'static str, String, String)> {
    let (_, judged) = scored(site);
    let fixes = judged.iter().filter_map(|one| Some((one.check.id, one.finding.fix()?)));
    let fixes =
        fixes.filter(|(_, fix)| fix.edits.iter().any(|edit| matches!(edit, Edit::Robots { .. })));
    let file = |site: &Site| site.body_of("/robots.txt").unwrap_or_default();
    fixes
        .map(|(check, fix)| {
            let fixed = applied(site, &fix.edits, Inputs::Filled);
            (check, file(site), file(&fixed))
        })
        .collect()
}

#[test]
fn what_a_fix_makes_of_robots_txt_is_read_alike_by_both_parsers() {
    let mut oracle = Oracle::start();
    let sites = typical::all().into_iter().map(|typical| typical.site);
    let sites = sites.chain([
        site::good("good.example.com"),
        site::good("empty.example.com").with("/robots.txt", site::Reply::error(404)),
        site::bare_shop("bare.example.com"),
        site::login("login.example.com"),
    ]);
    let agents = &Registry::embedded().agents;
    let tokens: BTreeSet<&str> = agents.iter().map(|agent| agent.robots_token.as_str()).collect();
    let mut files = 0;
    for site in sites {
        for (check, before, after) in edited(&site) {
            files += 1;
            assert_ne!(before, after, "{}: {check}", site.host);
            let lints = RobotsTxt::parse(after.as_bytes()).lints.len();
            let had = RobotsTxt::parse(before.as_bytes()).lints.len();
            assert!(lints <= had, "{}: {check}: {after}", site.host);
            for token in &tokens {
                for path in PATHS {
                    let url = format!("https://{}{path}", site.host);
                    let case = [after.clone(), (*token).to_owned(), url];
                    let Reply::Verdict(allowed) = oracle.ask(&case) else {
                        panic!("no verdict: {case:#?}");
                    };
                    assert_eq!(ours(&case), allowed, "{check}: {case:#?}");
                }
            }
        }
    }
    println!("{files} files after fixes, read for {} agents", tokens.len());
    assert!(files >= 10, "only {files} files");
}
