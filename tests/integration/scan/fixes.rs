//! From a fix to its proof: every fix that a report offers is applied to the fixture site, and the site
//! is scanned again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock};

use visibility_core::rubric::finding::{Finding, Verdict};
use visibility_core::rubric::fix::{self, Edit, Platform};
use visibility_core::scan::check::Check;
use visibility_core::scan::checks::CHECKS;
use visibility_core::scan::report::{ScanReport, Selection};
use visibility_core::scan::result::{FixPlanItem, ScanResult};
use visibility_core::scan::score::{EvaluatedCheck, ScanScore, Tier};
use visibility_core::scan::snapshot::SiteSnapshot;
use visibility_core::text::locale::Lang;
use visibility_tests::fixes::{Inputs, applied, hosts, judged, judged_snapshot, scored};
use visibility_tests::site::{self, Reply, Site};
use visibility_tests::typical;

use crate::scan::checks;

/// Tenths of a point by which a gain may differ from its promise.
const TOLERANCE: i64 = 5;

/// A fixture site, and the check that it is about; `None` for all.
struct Fixture {
    name: String,
    site: Site,
    check: Option<&'static str>,
    /// What a scan of the site saw, for all tests; `None` for one that cannot be scanned. The tests of the checks compare
    /// its report in both languages.
    snapshot: OnceLock<Option<SiteSnapshot>>,
}

impl Fixture {
    fn new(name: String, site: Site, check: Option<&'static str>) -> Self {
        Self { name, site, check, snapshot: OnceLock::new() }
    }

    fn snapshot(&self) -> Option<&SiteSnapshot> {
        self.snapshot.get_or_init(|| self.site.snapshot().ok()).as_ref()
    }

    /// Whether a fix for this check is tried on the site.
    fn tries(&self, check: &str) -> bool {
        self.check.is_none_or(|own| own == check)
    }
}

/// Every fixture site: the typical ones with all that they are offered, and those of the cases of each
/// check with what that check offers.
static FIXTURES: LazyLock<Vec<Fixture>> = LazyLock::new(|| {
    let typical = typical::all().into_iter().map(|one| (one.name.to_owned(), one.site));
    let good = [
        ("a good site".to_owned(), site::good("good.example.com")),
        ("a shop".to_owned(), site::shop("shop.example.com")),
        ("a bare shop".to_owned(), site::bare_shop("bare.example.com")),
        ("a site with a login".to_owned(), site::login("login.example.com")),
    ];
    let whole = typical.chain(good).map(|(name, site)| Fixture::new(name, site, None));
    let cases = checks::sites()
        .into_iter()
        .map(|(check, name, site)| Fixture::new(format!("{check}: {name}"), site, Some(check)));
    whole.chain(cases).collect()
});

/// Runs a test on every fixture that can be scanned, on all processors, and fails with all that it complains
/// about.
fn on_each(test: impl Fn(&Fixture, &SiteSnapshot) -> Vec<String> + Sync) {
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(fixture) = FIXTURES.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(snapshot) = fixture.snapshot() else { continue };
                    let found = test(fixture, snapshot);
                    complaints.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("no panic");
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}

fn tier(name: &str) -> Tier {
    Tier::from_wire(name).unwrap_or_else(|| panic!("no tier {name}"))
}

/// The edits that a check offers now.
fn edits_of(judged: &[EvaluatedCheck], check: &str) -> Option<Vec<Edit>> {
    let one = judged.iter().find(|one| one.check.id == check)?;
    one.finding.fix().map(|fix| fix.edits.clone())
}

/// The site after a step of the plan: its fix, and what it made necessary.
fn after_step(site: &Site, step: &FixPlanItem, edits: &[Edit]) -> Site {
    let mut fixed = applied(site, edits, Inputs::Filled);
    for follow_up in &step.includes {
        let (_, judged) = scored(&fixed);
        if let Some(edits) = edits_of(&judged, &follow_up.check) {
            fixed = applied(&fixed, &edits, Inputs::Filled);
        }
    }
    fixed
}

/// The checks whose verdict changed.
fn changes(before: &ScanResult, after: &[EvaluatedCheck]) -> String {
    let pairs = before.checks.iter().zip(after);
    let changed = pairs.filter(|(before, after)| before.status != after.finding.verdict());
    changed
        .map(|(before, after)| {
            let now = after.finding.verdict().as_str();
            let outcome = after.finding.detections().first().map(|signal| signal.outcome.id);
            format!("{} {}>{now} {outcome:?}", before.id, before.status.as_str())
        })
        .collect::<Vec<_>>()
        .join(", ")
}

#[expect(clippy::cast_possible_truncation, reason = "tenths of 100 points")]
fn tenths(points: f64) -> i64 {
    (points * 10.0).round() as i64
}

fn capped_tenths(score: &ScanScore) -> i64 {
    let limits = score.caps.iter().map(|cap| 10 * i64::from(cap.limit));
    limits.fold(i64::from(score.raw_tenths), i64::min)
}

#[test]
fn the_gain_that_a_step_promises_comes_and_no_fix_lowers_the_score() {
    let applied_count = AtomicUsize::new(0);
    on_each(|fixture, snapshot| {
        let (report, result) = judged_snapshot(snapshot);
        let score = report.score().expect("a score");
        let before = i64::from(score.raw_tenths);
        let mut complaints = Vec::new();
        for check in result.checks.iter().filter(|check| fixture.tries(&check.id)) {
            let Some(fix) = check.fix.as_ref().filter(|fix| !fix.edits.is_empty()) else {
                continue;
            };
            let step = result.fix_plan.iter().find(|step| step.check == check.id);
            applied_count.fetch_add(1, Ordering::Relaxed);
            let fixed = match step {
                Some(step) => after_step(&fixture.site, step, &fix.edits),
                None => applied(&fixture.site, &fix.edits, Inputs::Filled),
            };
            let (after, findings) = scored(&fixed);
            let gained = i64::from(after.raw_tenths) - before;
            let kept = match step {
                None => gained >= 0,
                // What is behind a wall was not seen, what a platform does is not documented: nothing is promised.
                Some(step) if step.ends_in_scan || !step.is_promised => step.points == 0.0,
                Some(step) => {
                    let promised = tenths(step.points_without_cap);
                    let capped = capped_tenths(&after) - capped_tenths(score);
                    let is_later = step.points == 0.0 && !result.caps.is_empty();
                    let by_the_way = if is_later { capped } else { 0 };
                    (gained - promised).abs() <= TOLERANCE
                        // What a step lifts by the way is not promised.
                        && (capped - tenths(step.points)).abs() <= TOLERANCE.max(by_the_way)
                        && (is_later || after.value.abs_diff(step.score_after) <= 1)
                        && after.tier >= tier(&step.tier_after)
                }
            };
            if !kept {
                complaints.push(format!(
                    "{}: {} promised {:?}, gained {gained}, {} {}: {}",
                    fixture.name,
                    check.id,
                    step.map(|step| (
                        step.points,
                        step.score_after,
                        &step.tier_after,
                        &step.includes
                    )),
                    after.value,
                    after.tier.as_str(),
                    changes(&result, &findings),
                ));
            }
        }
        complaints
    });
    let count = applied_count.into_inner();
    assert!(count > 150, "only {count} fixes were applied");
}

/// What was promised and gained on a platform, in tenths of a point.
#[derive(Clone, Copy, Debug, Default)]
struct Gains {
    applied: usize,
    promised: i64,
    gained: i64,
    not_tried: usize,
}

/// Platforms whose files an interpreter of the vendors' pages applies; others run in real servers.
const HOSTS: [Platform; 12] = [
    Platform::Cloudflare,
    Platform::Netlify,
    Platform::Vercel,
    Platform::NextJs,
    Platform::WordPress,
    Platform::Shopify,
    Platform::Wix,
    Platform::Squarespace,
    Platform::Webflow,
    Platform::Framer,
    Platform::GoogleSites,
    Platform::Hosted,
];

/// A site on a platform.
struct Hosted {
    platform: Platform,
    name: String,
    site: Site,
    check: Option<&'static str>,
}

/// The typical and the good sites on each platform that they can be on, and each case of a check on one.
fn hosted_sites() -> Vec<Hosted> {
    const MARKS: [(&str, Platform); 3] = [
        ("/wp-content/", Platform::WordPress),
        ("content=\"WordPress", Platform::WordPress),
        ("cdn.shopify", Platform::Shopify),
    ];
    let on = |(number, fixture): (usize, &Fixture)| -> Vec<Hosted> {
        let home = fixture.site.body_of("/").unwrap_or_default();
        let own = MARKS.into_iter().find(|(mark, _)| home.contains(mark)).map(|(_, own)| own);
        let hosts = match (own, fixture.check) {
            (Some(own), _) => vec![own],
            (None, None) => HOSTS.to_vec(),
            (None, Some(_)) => HOSTS.into_iter().skip(number % HOSTS.len()).take(1).collect(),
        };
        let hosted = |platform: Platform| Hosted {
            platform,
            name: format!("{} on {}", fixture.name, platform.name()),
            site: hosts::hosted(&fixture.site, platform),
            check: fixture.check,
        };
        hosts.into_iter().map(hosted).collect()
    };
    FIXTURES.iter().enumerate().flat_map(on).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "the table of platforms, with --nocapture")]
fn the_files_for_a_platform_bring_what_is_promised_there() {
    let sites = hosted_sites();
    let next = AtomicUsize::new(0);
    let found = Mutex::new((Vec::new(), BTreeMap::<&str, Gains>::new(), Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(hosted) = sites.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Ok(snapshot) = hosted.site.scan() else { continue };
                    for one in tried_on(hosted, &snapshot) {
                        let mut found = found.lock().expect("no panic");
                        let gains = found.1.entry(hosted.platform.name()).or_default();
                        gains.not_tried += usize::from(one.is_advice);
                        gains.applied += usize::from(!one.is_advice);
                        gains.promised += one.promised;
                        gains.gained += if one.is_advice { 0 } else { one.gained };
                        if one.is_promised {
                            found.2.push(((one.gained - one.promised).abs(), one.text.clone()));
                        }
                        found.0.extend((!one.is_kept).then_some(one.text));
                    }
                }
            });
        }
    });
    let (complaints, gains, mut differences) = found.into_inner().expect("no panic");
    for (platform, gains) in gains {
        println!("{platform:<12} {gains:?}");
    }
    differences.sort_by_key(|(difference, _)| std::cmp::Reverse(*difference));
    for (difference, text) in differences.iter().take(10) {
        println!("{difference:>4} {text}");
    }
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn rules_of_apache_are_promised_to_no_wordpress_on_nginx() {
    let promised = |server: &str| -> Vec<String> {
        let hosted = hosts::hosted(&site::login("blog.example.com"), Platform::WordPress)
            .rewritten(|reply| reply.headers.push(("server".to_owned(), server.to_owned())));
        let (_, result) = judged(&hosted);
        let noted = |check: &str| {
            let check = result.checks.iter().find(|one| one.id == check);
            let fix = check.and_then(|check| check.fix.as_ref());
            fix.and_then(|fix| fix.note.as_ref()).is_some_and(|note| note.contains("not by nginx"))
        };
        assert!(noted("markdown-negotiation") && noted("mcp-server") && !noted("llms-txt"));
        let steps = result.fix_plan.into_iter().filter(|step| step.is_promised);
        steps.map(|step| step.check).collect()
    };
    let apache = ["markdown-negotiation", "mcp-server"];
    for server in ["Apache/2.4.62 (Debian)", "LiteSpeed", "cloudflare"] {
        assert!(
            apache.iter().all(|check| promised(server).iter().any(|step| step == check)),
            "{server}"
        );
    }
    for server in ["nginx", "nginx/1.26.3", "openresty/1.27.1.1"] {
        let steps = promised(server);
        assert!(
            !steps.is_empty() && apache.iter().all(|check| !steps.iter().any(|step| step == check)),
            "{server}"
        );
    }
}

/// A fix that was made on a platform.
struct Tried {
    promised: i64,
    gained: i64,
    is_advice: bool,
    is_promised: bool,
    is_kept: bool,
    text: String,
}

fn tried_on(hosted: &Hosted, snapshot: &SiteSnapshot) -> Vec<Tried> {
    let Hosted { platform, name, site, .. } = hosted;
    let platform = *platform;
    let (report, result) = judged_snapshot(snapshot);
    let score = report.score().expect("a score");
    let before = i64::from(score.raw_tenths);
    let mut tried = Vec::new();
    for check in &result.checks {
        let is_tried = hosted.check.is_none_or(|own| own == check.id);
        let fix = check.fix.as_ref().filter(|fix| is_tried && !fix.edits.is_empty());
        let Some(fix) = fix else { continue };
        let step = result.fix_plan.iter().find(|step| step.check == check.id);
        if step.is_some_and(|step| step.ends_in_scan) {
            continue;
        }
        let is_advice = step.is_some_and(|step| !step.is_promised);
        let mut fixed = hosts::applied(site, &fix.edits, platform);
        for follow_up in step.iter().flat_map(|step| &step.includes) {
            let (_, judged) = scored(&fixed);
            if let Some(edits) = edits_of(&judged, &follow_up.check) {
                fixed = hosts::applied(&fixed, &edits, platform);
            }
        }
        let (after, findings) = scored(&fixed);
        let gained = i64::from(after.raw_tenths) - before;
        let promised = step.map_or(0, |step| tenths(step.points_without_cap));
        let is_kept = match step {
            Some(step) if step.is_promised => (gained - promised).abs() <= TOLERANCE,
            _ => gained >= 0,
        };
        let changes = changes(&result, &findings);
        let text = format!("{name}: {} promised {promised}, gained {gained}: {changes}", check.id);
        let is_promised = step.is_some_and(|step| step.is_promised);
        tried.push(Tried { promised, gained, is_advice, is_promised, is_kept, text });
    }
    tried
}

/// Half points of a verdict.
fn earned(check: &Check, finding: &Finding) -> u32 {
    match finding.verdict() {
        Verdict::Pass => 2 * u32::from(check.weight),
        Verdict::Warn => u32::from(check.weight),
        _ => 0,
    }
}

#[test]
fn a_placeholder_that_is_pasted_as_it_is_earns_nothing() {
    let pasted = AtomicUsize::new(0);
    on_each(|fixture, snapshot| {
        let mut complaints = Vec::new();
        for check in CHECKS.iter().filter(|check| fixture.tries(check.id)) {
            let finding = (check.evaluate)(snapshot);
            let Some(fix) = finding.fix() else { continue };
            let files = fix::files(&fix.edits, Platform::Generic);
            let listed = fix.placeholders(&files);
            let shown = files.iter().flat_map(|file| placeholders(&file.content));
            let shown: BTreeSet<String> = shown.collect();
            if shown != listed.iter().cloned().collect() {
                complaints.push(format!("{}: {}: {shown:?}", fixture.name, check.id));
            }
            if listed.is_empty() {
                continue;
            }
            pasted.fetch_add(1, Ordering::Relaxed);
            let pasted = applied(&fixture.site, &fix.edits, Inputs::Unfilled);
            let now = (check.evaluate)(&pasted.snapshot().expect("a site as before"));
            // Of the metadata, the elements without a placeholder are complete.
            let has_more = check.id == "page-metadata" && now.verdict() != Verdict::Pass;
            if earned(check, &now) > earned(check, &finding) && !has_more {
                complaints.push(format!("{}: {} earns points", fixture.name, check.id));
            }
        }
        complaints
    });
    let count = pasted.into_inner();
    assert!(count > 20, "only {count} fixes with placeholders");
}

/// The placeholders that a content shows.
fn placeholders(content: &str) -> Vec<String> {
    let starts = content.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let names = starts.map(|(name, _)| name).filter(|name| {
        name.len() > 3
            && name.chars().all(|ch| ch.is_ascii_uppercase() || ch.is_ascii_digit() || ch == '_')
    });
    names.map(|name| format!("[{name}]")).collect()
}

#[test]
fn all_steps_together_reach_what_the_best_of_them_promises() {
    for typical in typical::all() {
        let (_, result) = judged(&typical.site);
        let best = result.fix_plan.iter().map(|step| step.score_after).max().unwrap_or_default();
        let mut fixed = typical.site.clone();
        for check in &result.fix_plan {
            let (_, now) = scored(&fixed);
            if let Some(edits) = edits_of(&now, &check.check) {
                fixed = applied(&fixed, &edits, Inputs::Filled);
            }
        }
        let reached = scored(&fixed).0.value;
        assert!(reached >= best, "{}: {reached} and not {best}", typical.name);
    }
}

#[test]
fn one_line_that_satisfies_two_checks_is_one_step() {
    let robots = Reply::text("User-agent: *\nAllow: /\n");
    let site = site::good("good.example.com").with("/robots.txt", robots);
    let snapshot = site.scan().expect("a snapshot");
    let plan = ScanReport::evaluate(&snapshot, &Selection::all()).result(Lang::En).fix_plan;
    let steps: Vec<(&str, &[String])> = plan
        .iter()
        .map(|step| (step.check.as_str(), step.raises.as_slice()))
        .filter(|(check, _)| ["robots-txt", "sitemap"].contains(check))
        .collect();
    assert_eq!(steps, [("robots-txt", &["sitemap".to_owned()][..])]);
}
