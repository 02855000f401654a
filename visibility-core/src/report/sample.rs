//! Results for the tests of renderers, with hostile text wherever a site can put any.

use crate::rubric::fix::{FileMode, FixFile, Placement};
use crate::scan::result::{FollowUp, PlanFileResult, ScanResult};

pub(super) fn hostile() -> ScanResult {
    serde_json::from_str(include_str!("../../testdata/reports/hostile.json")).expect("a result")
}

/// The same with a fix of three files, a placeholder and a note, and a step that leads to another.
pub(super) fn with_files() -> ScanResult {
    let mut result = hostile();
    let file = |path: Option<&str>, place, media_type: &str, mode, content: &str| FixFile {
        path: path.map(str::to_owned),
        place,
        media_type: media_type.to_owned(),
        mode,
        content: content.to_owned(),
        replaces: None,
    };
    let id = result.checks[1].id.clone();
    let fix = result.checks[1].fix.as_mut().expect("a fix");
    fix.files = vec![
        file(Some("/llms.txt"), None, "text/markdown", FileMode::Create, "# [NAME]\n```\nend"),
        file(
            Some("nginx.conf"),
            Some(Placement::Server),
            "text/x-nginx-conf",
            FileMode::Append,
            "gzip on;",
        ),
        file(None, Some(Placement::Head), "text/html", FileMode::Replace, "<meta name=robots>"),
    ];
    let planned = fix.files.iter().enumerate();
    let planned = planned.map(|(index, file)| PlanFileResult {
        file: file.clone(),
        checks: vec![id.clone()],
        is_whole: index == 0,
    });
    result.plan_files = planned.collect();
    fix.needs_input = vec!["[NAME]".to_owned()];
    fix.note = Some("Write the Markdown pages first.".to_owned());
    let item = result.fix_plan.iter_mut().find(|item| item.check == id).expect("a step");
    item.score_after = 50;
    "discoverable".clone_into(&mut item.tier_after);
    item.includes = vec![FollowUp {
        check: "link-headers".to_owned(),
        title: "Link headers".to_owned(),
        hint: "Add the `Link` header.".to_owned(),
    }];
    let step = result.fix_plan.iter().position(|item| item.check == id).expect("a step");
    result.fix_plan.swap(0, step);
    result
}
