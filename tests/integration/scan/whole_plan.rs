//! The whole folder of fixes at once, as people apply it: what it reaches on each platform, and that it breaks nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use visibility_core::report::fix_folder::fix_folder;
use visibility_core::report::labels::Labels;
use visibility_core::rubric::finding::Verdict;
use visibility_core::rubric::fix::{Edit, Platform, Task};
use visibility_core::scan::result::ScanResult;
use visibility_core::scan::score::EvaluatedCheck;
use visibility_core::text::locale::Lang;
use visibility_tests::fixes::{hosts, judged, scored};
use visibility_tests::site::{self, Site};
use visibility_tests::typical;

/// Points by which the whole folder may differ from the plan made step by step.
const TOLERANCE: u8 = 1;

/// Plans that follow from a plan.
const ROUNDS: usize = 4;

const PLATFORMS: [Platform; 13] = [
    Platform::Generic,
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

/// The typical and the good sites.
fn sites() -> Vec<(String, Site)> {
    let typical = typical::all().into_iter().map(|one| (one.name.to_owned(), one.site));
    let good = [
        ("a good site".to_owned(), site::good("good.example.com")),
        ("a shop".to_owned(), site::shop("shop.example.com")),
        ("a bare shop".to_owned(), site::bare_shop("bare.example.com")),
        ("a site with a login".to_owned(), site::login("login.example.com")),
    ];
    let linked = |(name, site): (String, Site)| (name, site.with_linked_pages());
    typical.chain(good).map(linked).collect()
}

/// Runs a test on each site on each platform that its pages do not contradict.
fn on_each(test: impl Fn(&str, Platform, &Site, &ScanResult) -> Vec<String> + Sync) {
    const MARKS: [(&str, Platform); 3] = [
        ("/wp-content/", Platform::WordPress),
        ("content=\"WordPress", Platform::WordPress),
        ("cdn.shopify", Platform::Shopify),
    ];
    let mut hosted = Vec::new();
    for (name, site) in sites() {
        let home = site.body_of("/").unwrap_or_default();
        let own = MARKS.into_iter().find(|(mark, _)| home.contains(mark)).map(|(_, own)| own);
        let platforms = own.map_or_else(|| PLATFORMS.to_vec(), |own| vec![own]);
        for platform in platforms {
            hosted.push((name.clone(), platform, hosts::hosted(&site, platform)));
        }
    }
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, platform, site)) =
                    hosted.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    if site.scan().is_err() {
                        continue;
                    }
                    let (_, result) = judged(site);
                    let found = test(name, *platform, site, &result);
                    complaints.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let complaints = complaints.into_inner().expect("no panic");
    assert!(complaints.is_empty(), "{}:\n{}", complaints.len(), complaints.join("\n"));
}

/// The score that the steps of the plan reach, one by one with a scan after each, and those of the plans that follow.
fn end_of_plan(site: &Site, platform: Platform, first: &ScanResult) -> u8 {
    let mut fixed = site.clone();
    let mut result = first.clone();
    for _ in 0..ROUNDS {
        let steps: Vec<String> = result
            .fix_plan
            .iter()
            .filter(|step| step.is_promised && !step.ends_in_scan)
            .map(|step| step.check.clone())
            .collect();
        if steps.is_empty() {
            break;
        }
        for check in steps {
            let (_, judged) = scored(&fixed);
            let one = judged.iter().find(|one| one.check.id == check);
            let is_open = |one: &&EvaluatedCheck| {
                matches!(one.finding.verdict(), Verdict::Warn | Verdict::Fail)
            };
            if let Some(fix) = one.filter(is_open).and_then(|one| one.finding.fix()) {
                fixed = hosts::applied(&fixed, &fix.edits, platform);
            }
        }
        result = judged(&fixed).1;
    }
    result.score.expect("a score")
}

#[derive(Debug, Default)]
struct Reached {
    sites: usize,
    before: u32,
    step_by_step: u32,
    whole: u32,
    not_tried: usize,
}

#[test]
#[expect(clippy::print_stdout, reason = "the table of platforms, with --nocapture")]
fn the_whole_folder_reaches_the_end_of_the_plan_and_breaks_nothing() {
    let table = Mutex::new(BTreeMap::<&str, Reached>::new());
    on_each(|name, platform, site, result| {
        if result.fix_plan.iter().any(|step| step.ends_in_scan) {
            return Vec::new();
        }
        let before = result.score.expect("a score");
        let applied = hosts::applied_files(site, &result.plan_files, result, platform);
        let (after, findings) = scored(&applied);
        let end = end_of_plan(site, platform, result);
        let mut complaints = Vec::new();
        // What the server will send instead of scripts was not seen: files about it come with the next scan.
        let is_unseen = result
            .checks
            .iter()
            .filter_map(|check| check.fix.as_ref())
            .any(|fix| fix.edits.contains(&Edit::Code { task: Task::RenderOnServer }));
        if after.value + TOLERANCE < end && !is_unseen {
            complaints.push(format!(
                "{name} on {}: {before} -> {} and not {end}",
                platform.name(),
                after.value
            ));
        }
        for (then, now) in result.checks.iter().zip(&findings) {
            let is_broken = then.status == Verdict::Pass
                && matches!(now.finding.verdict(), Verdict::Fail | Verdict::Warn);
            if is_broken {
                complaints.push(format!("{name} on {}: {} passed", platform.name(), then.id));
            }
        }
        let mut table = table.lock().expect("no panic");
        let reached = table.entry(platform.name()).or_default();
        reached.sites += 1;
        reached.before += u32::from(before);
        reached.step_by_step += u32::from(end);
        reached.whole += u32::from(after.value);
        reached.not_tried += result.fix_plan.iter().filter(|step| !step.is_promised).count();
        complaints
    });
    for (platform, reached) in table.into_inner().expect("no panic") {
        println!("{platform:<14} {reached:?}");
    }
}

#[test]
fn each_path_is_one_file_and_what_was_read_stays_in_it() {
    on_each(|name, platform, site, result| {
        let files = fix_folder(result, Labels::new(Lang::En));
        let mut complaints = Vec::new();
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        if paths.len() != files.len() {
            complaints.push(format!("{name}: a path is there twice: {paths:?}"));
        }
        for file in result.plan_files.iter().filter(|one| one.is_whole) {
            let path = file.file.path.as_deref().expect("a path");
            let served = path.strip_prefix("public").unwrap_or(path);
            let Some(old) = site.body_of(served).filter(|old| !old.trim().starts_with('<')) else {
                continue;
            };
            // Of robots.txt, a step may take lines away: the others stay.
            let kept = old.lines().filter(|line| file.file.content.contains(line)).count();
            let gone = old.lines().count() - kept;
            if served != "/robots.txt" && gone > 0 {
                complaints.push(format!("{name} on {platform:?}: {path} loses {gone} lines"));
            }
        }
        complaints
    });
}
