//! Reports of sites on real servers: each step is made as its files say, and a second scan shows what it
//! brought.

use std::collections::BTreeMap;
use std::process::Command;

use visibility_core::rubric::finding::Verdict;
use visibility_core::rubric::fix::{Edit, FixFile, Platform, Task, files};
use visibility_core::scan::result::{FixPlanItem, FixResult, ScanResult};
use visibility_tests::fixes::{filled, rendered};
use visibility_tests::program::program;
use visibility_tests::site::Site;
use visibility_tests::typical;

use crate::servers::program::{Contents, Program};

/// Points by which a gain may differ from its promise.
const TOLERANCE: f64 = 0.5;

/// What is built where a plan wants an endpoint.
const API_DESCRIPTION: &str = r#"{"openapi":"3.1.0","info":{"title":"Orders","version":"4"},"paths":{"/orders":{"get":{"responses":{}}}}}"#;

/// Its paths without a file get the home page.
const SHELL: &str = "single-page shell";

const SITES: [&str; 6] = [
    "docs site with llms.txt and Markdown",
    "publisher blocking only training",
    "SaaS with OpenAPI, nothing agentic",
    "bare page",
    SHELL,
    "robots.txt blocks everyone",
];

/// What was made of the plans on one server.
#[derive(Debug, Default)]
struct Made {
    applied: usize,
    promised: f64,
    gained: f64,
    not_tried: usize,
    /// Of each site: the points before, with the whole plan at once, and with the steps of all plans.
    whole: Vec<(String, f64, f64, f64)>,
    complaints: Vec<String>,
}

fn contents(site: &Site) -> Contents {
    let documents: BTreeMap<String, String> = site
        .paths()
        .into_iter()
        .filter_map(|path| Some((path.clone(), site.body_of(&path)?)))
        .collect();
    Contents::new(&site.host, documents)
}

/// What the command says of a site on a server.
fn scan(platform: Platform, contents: &Contents) -> ScanResult {
    let server = Program::serve(platform, contents);
    let mut command = Command::new(program("visibility"));
    command.args(["scan", &contents.host, "--format", "json"]).args(server.flags(&contents.host));
    let output = command.env_clear().output().expect("the binary runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{platform:?} {}: {said}", contents.host);
    serde_json::from_slice(&output.stdout).expect("a report")
}

/// The points of a report before they are rounded.
fn points(result: &ScanResult) -> f64 {
    let all: f64 = result.checks.iter().map(|check| check.score_points).sum();
    result.caps.iter().map(|cap| f64::from(cap.limit)).fold(all, f64::min)
}

fn fix_of<'r>(result: &'r ScanResult, check: &str) -> Option<&'r FixResult> {
    result.checks.iter().find(|one| one.id == check)?.fix.as_ref()
}

/// Does what a fix says: its files, and the work that no file does.
fn make(contents: &mut Contents, files: &[FixFile], edits: &[Edit]) {
    let host = contents.host.clone();
    for file in files {
        contents.apply(&FixFile { content: filled(&file.content, &host), ..file.clone() });
    }
    for edit in edits {
        match edit {
            Edit::Build { url, .. } => {
                let url = filled(url, &host);
                let path = url.strip_prefix(&format!("https://{host}")).expect("an own address");
                contents.document(path, API_DESCRIPTION.to_owned());
            }
            Edit::Code { task: Task::RenderOnServer } => contents.rewrite_pages(rendered),
            _ => {}
        }
    }
}

/// Makes a step and what it made necessary, and scans again.
fn after_step(
    platform: Platform,
    before: &Contents,
    step: &FixPlanItem,
    fix: &FixResult,
) -> ScanResult {
    let mut contents = before.clone();
    make(&mut contents, &fix.files, &fix.edits);
    let mut result = scan(platform, &contents);
    for follow_up in &step.includes {
        if let Some(fix) = fix_of(&result, &follow_up.check).cloned() {
            make(&mut contents, &fix.files, &fix.edits);
            result = scan(platform, &contents);
        }
    }
    result
}

/// Makes each step of a plan on the site as it was.
fn make_steps(platform: Platform, name: &str, before: &Contents, made: &mut Made) {
    let first = scan(platform, before);
    assert_eq!(first.platform, platform, "{name}");
    for step in first.fix_plan.iter().filter(|step| !step.ends_in_scan) {
        let fix = fix_of(&first, &step.check).expect("a step has a fix");
        if !step.is_promised {
            made.not_tried += 1;
            continue;
        }
        let after = after_step(platform, before, step, fix);
        let gained = points(&after) - points(&first);
        made.applied += 1;
        made.promised += step.points;
        made.gained += gained;
        let one = format!("{name}, {}: {:.1} {gained:.1}", step.check, step.points);
        if (step.points - gained).abs() > TOLERANCE
            || after.tier.as_deref() != Some(&step.tier_after)
        {
            made.complaints.push(one);
        }
    }
}

/// Makes all steps of a plan at once, of which each file is one piece, and then those of the plans that follow,
/// until none promises more.
fn make_all(platform: Platform, name: &str, before: &Contents, made: &mut Made) -> f64 {
    const ROUNDS: usize = 4;
    let mut contents = before.clone();
    let mut result = scan(platform, &contents);
    let mut score = points(&result);
    for _ in 0..ROUNDS {
        let steps = result.fix_plan.iter().filter(|step| step.is_promised && step.points > 0.0);
        let edits: Vec<Edit> = steps
            .filter_map(|step| fix_of(&result, &step.check))
            .flat_map(|fix| fix.edits.clone())
            .collect();
        if edits.is_empty() {
            return score;
        }
        make(&mut contents, &files(&edits, platform), &edits);
        result = scan(platform, &contents);
        if points(&result) <= score {
            made.complaints.push(format!("{name}, all: {score:.1} -> {:.1}", points(&result)));
        }
        score = points(&result);
    }
    made.complaints.push(format!("{name}: {:?} are still promised", result.fix_plan));
    score
}

/// Makes what the first plan has for each path, at once.
fn make_whole_plan(platform: Platform, name: &str, before: &Contents, end: f64, made: &mut Made) {
    let first = scan(platform, before);
    let steps = first.fix_plan.iter().filter(|step| step.is_promised);
    let edits: Vec<Edit> = steps
        .filter_map(|step| fix_of(&first, &step.check))
        .flat_map(|fix| fix.edits.clone())
        .collect();
    // What the server will send instead of scripts was not seen: files about it come with the next scan.
    let is_unseen = edits.contains(&Edit::Code { task: Task::RenderOnServer });
    let files: Vec<FixFile> = first.plan_files.iter().map(|one| one.file.clone()).collect();
    let mut contents = before.clone();
    make(&mut contents, &files, &edits);
    let after = scan(platform, &contents);
    made.whole.push((name.to_owned(), points(&first), points(&after), end));
    if points(&after) + 1.0 < end && !is_unseen {
        made.complaints.push(format!("{name}, whole: {:.1} and not {end:.1}", points(&after)));
    }
    for (then, now) in first.checks.iter().zip(&after.checks) {
        if then.status == Verdict::Pass && matches!(now.status, Verdict::Warn | Verdict::Fail) {
            made.complaints.push(format!("{name}, whole: {} passed", then.id));
        }
    }
}

#[expect(clippy::print_stdout, reason = "the figures of the server, with --nocapture")]
fn keeps_its_promises(platform: Platform) {
    let mut made = Made::default();
    for typical in typical::all().iter().filter(|typical| SITES.contains(&typical.name)) {
        let contents = contents(&typical.site.with_linked_pages());
        let contents = if typical.name == SHELL { contents.with_fallback() } else { contents };
        make_steps(platform, typical.name, &contents, &mut made);
        let end = make_all(platform, typical.name, &contents, &mut made);
        make_whole_plan(platform, typical.name, &contents, end, &mut made);
    }
    println!("{platform:?} {made:?}");
    assert!(made.complaints.is_empty(), "{}", made.complaints.join("\n"));
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn steps_bring_on_nginx_what_they_promise() {
    keeps_its_promises(Platform::Nginx);
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn steps_bring_on_apache_what_they_promise() {
    keeps_its_promises(Platform::Apache);
}

#[test]
#[ignore = "needs nginx, Apache and Caddy: tests/run servers"]
fn steps_bring_on_caddy_what_they_promise() {
    keeps_its_promises(Platform::Caddy);
}
