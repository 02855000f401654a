//! Small pages whose subject is what dead pages say are not taken for dead.

use visibility_tests::fixes::scored;
use visibility_tests::honest::{HonestPage, PAGES, SHOPS};

/// The caps of a home page that is dead, or a wall.
const DEAD: [&str; 4] = ["parked", "nothing-to-read", "placeholder-page", "gate-page"];

/// The caps of a page, each with the links that it has and with what was found.
fn capped(page: &HonestPage) -> Vec<String> {
    let found = [0, 3, 6].into_iter().flat_map(|links| {
        let (score, judged) = scored(&page.site(links));
        let content = judged.iter().find(|one| one.check.id == "content-without-js").unwrap();
        let found = content.finding.detections().first().cloned();
        let caps = score.caps.into_iter().filter(|cap| DEAD.contains(&cap.id));
        let lines = caps.map(|cap| format!("{}, {links} links: {} {found:?}", page.name, cap.id));
        lines.collect::<Vec<_>>()
    });
    found.collect()
}

#[test]
fn pages_about_notices_are_no_notices() {
    let found: Vec<String> = PAGES.iter().flat_map(capped).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn shops_that_are_called_like_their_host_are_not_for_sale() {
    let found: Vec<String> = SHOPS.iter().flat_map(capped).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
