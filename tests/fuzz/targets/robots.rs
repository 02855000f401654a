//! robots.txt: every decision names lines of the file, and agrees with its own rule.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::documents::robots::{RobotsTxt, RuleKind};

fuzz_target!(|body: &[u8]| {
    let robots = RobotsTxt::parse(body);
    let ends = |byte: &&u8| matches!(**byte, b'\n' | b'\r');
    let lines = body.iter().filter(ends).count() + 1;
    let rules = robots.groups.iter().map(|group| group.rules.len()).sum::<usize>();
    assert!(rules + robots.sitemaps.len() + robots.groups.len() <= 2 * lines);
    assert!(robots.junk_lines <= robots.content_lines && robots.content_lines <= lines);
    for (agent, path) in [("GPTBot", "/"), ("Googlebot", "/a/b?c=%2f*$"), ("*", "/private/x.html")] {
        let decision = robots.decide(&[agent, "Other"], path);
        if let Some(rule) = &decision.rule {
            assert_eq!(decision.allowed, rule.kind == RuleKind::Allow);
            assert!((1..=lines).contains(&rule.line));
        } else {
            assert!(decision.allowed, "no rule, and yet not allowed");
        }
        assert!(decision.group_line.is_none_or(|line| (1..=lines).contains(&line)));
        assert_eq!(decision, robots.decide(&[agent, "Other"], path));
    }
});
