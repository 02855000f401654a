use crate::documents::robots::{LintKind, RobotsTxt};
use crate::limits::MAX_ROBOTS_BYTES;

fn parse(text: &str) -> RobotsTxt {
    RobotsTxt::parse(text.as_bytes())
}

/// RFC 9309 section 2.2.1.
#[test]
fn groups_of_a_token_are_merged_and_each_rule_keeps_its_group() {
    let robots =
        parse("User-agent: a\nDisallow: /1\n\nUser-agent: b\nUser-agent: A\nDisallow: /2\n");
    let decision = robots.decide(&["a"], "/2");
    assert_eq!(decision.group_line, Some(5));
    assert_eq!(decision.group_token.as_deref(), Some("A"));
    assert_eq!(decision.rule.map(|rule| rule.line), Some(6));
    let decision = robots.decide(&["a"], "/3");
    assert!(decision.allowed);
    assert_eq!((decision.group_line, decision.rule), (Some(1), None));
    assert_eq!(robots.groups_for(&["a"]).len(), 2);
}

/// RFC 9309 section 2.2.1.
#[test]
fn an_empty_group_replaces_the_one_for_all() {
    let robots = parse("User-agent: *\nDisallow: /\nUser-agent: GPTBot\nCrawl-delay: 1");
    assert!(robots.decide(&["GPTBot"], "/").allowed);
    assert!(!robots.decide(&["CCBot"], "/").allowed);
}

#[test]
fn the_first_token_that_a_group_names_decides() {
    let robots = parse("User-agent: Googlebot\nDisallow: /g\nUser-agent: *\nDisallow: /");
    let decision = robots.decide(&["Applebot", "Googlebot"], "/g");
    assert_eq!(decision.group_token.as_deref(), Some("Googlebot"));
    assert_eq!(robots.decide(&["Applebot", "Bing"], "/g").group_token.as_deref(), Some("*"));
    assert_eq!(parse("").decide(&["Applebot"], "/").group_line, None);
}

/// RFC 9309 section 2.2.4: other records must not interfere.
#[test]
fn only_allow_and_disallow_close_a_list_of_agents() {
    for between in
        ["Crawl-delay: 1", "Content-Signal: search=yes", "Foo: bar", "", "x", "Allowed: /"]
    {
        let text = format!("User-agent: a\n{between}\nUser-agent: b\nDisallow: /\n");
        assert!(!parse(&text).decide(&["a"], "/").allowed, "{between}");
    }
    let robots = parse("User-agent: a\nDisallow:\nUser-agent: b\nDisallow: /\n");
    assert!(robots.decide(&["a"], "/").allowed);
}

#[test]
fn a_user_agent_line_without_a_token_opens_a_group_for_no_agent() {
    let robots = parse("User-agent: a\nDisallow: /x\nUser-agent:\nDisallow: /y\n");
    assert!(robots.decide(&["a"], "/y").allowed);
    assert_eq!(robots.lints.first().map(|lint| lint.kind), Some(LintKind::BadValue));
}

#[test]
fn lines_end_in_lf_cr_or_crlf() {
    let robots = parse("\u{feff}User-agent: a\r\nDisallow: /1\rDisallow: /2\n\rDisallow: /3");
    let lines: Vec<usize> = robots.groups[0].rules.iter().map(|rule| rule.line).collect();
    assert_eq!(lines, [2, 3, 5]);
}

#[test]
fn members_of_groups_and_records_of_the_file_keep_their_lines() {
    let robots = parse(
        "Sitemap: https://e.com/a.xml # one\nUser-agent: *\nCrawl-delay: 2.5\n\
         Content-Signal: ai-train=no\nContent-Usage: /x train-ai=n\nAllow: /\n\
         License: https://e.com/rsl.xml\nAgentmap: /map.json\nSITEMAP: /b.xml\n",
    );
    let group = &robots.groups[0];
    assert_eq!((group.crawl_delays[0].value.as_str(), group.crawl_delays[0].line), ("2.5", 3));
    assert_eq!(group.content_signals[0].line, 4);
    assert_eq!(group.content_usages[0].value, "/x train-ai=n");
    assert_eq!(robots.sitemaps[0].value, "https://e.com/a.xml");
    assert_eq!(robots.sitemaps[1].line, 9);
    assert_eq!(robots.licenses[0].line, 7);
    assert_eq!(robots.agentmaps[0].value, "/map.json");
    let lints: Vec<_> = robots.lints.iter().map(|lint| (lint.kind, lint.line)).collect();
    assert_eq!(lints, [(LintKind::BadValue, 9)]);
}

#[test]
fn what_looks_wrong_is_a_lint_and_changes_no_verdict() {
    for (line, kind) in [
        ("Disallow /", LintKind::MissingColon),
        ("Dissallow: /", LintKind::Typo),
        ("Useragent: x", LintKind::Typo),
        ("Disallowed: /", LintKind::Typo),
        ("Site-map: https://e.com/s.xml", LintKind::Typo),
        ("Disallow: admin", LintKind::RelativePattern),
        ("Disallow: https://e.com/", LintKind::UrlPattern),
        ("Crawl-delay: soon", LintKind::BadValue),
        ("Allow:", LintKind::BadValue),
        ("Foo: bar", LintKind::UnknownKey),
    ] {
        let robots = parse(&format!("User-agent: *\n{line}\n"));
        let lints: Vec<_> = robots.lints.iter().map(|lint| (lint.kind, lint.line)).collect();
        assert_eq!(lints, [(kind, 2)], "{line}");
        assert!(robots.decide(&["x"], "/admin").allowed, "{line}");
        assert_eq!(robots.lints[0].text, line);
    }
    for line in ["Disallow:", "Host: e.com", "# x", "", "Crawl-delay: 10"] {
        assert_eq!(parse(&format!("User-agent: *\n{line}\n")).lints, [], "{line}");
    }
}

#[test]
fn extras_behind_a_token_and_rules_outside_groups_are_lints() {
    for (text, kind) in [
        ("User-agent: GPTBot/1.4", LintKind::AgentWithExtras),
        ("User-agent: GPTBot, ClaudeBot", LintKind::AgentList),
        ("User-agent: GPTBot;ClaudeBot", LintKind::AgentList),
        ("User-agent: GPTBot, *", LintKind::AgentList),
        ("User-agent: GPTBot,", LintKind::AgentWithExtras),
        ("User-agent: \"GPTBot\"", LintKind::QuotedAgent),
        ("User-agent: “GPTBot”", LintKind::QuotedAgent),
        ("User-agent: * all", LintKind::AgentWithExtras),
        ("User-agent: *bot", LintKind::BadValue),
        ("Disallow: /", LintKind::RuleOutsideGroup),
        ("Crawl-delay: 1", LintKind::RuleOutsideGroup),
    ] {
        let kinds: Vec<_> = parse(text).lints.iter().map(|lint| lint.kind).collect();
        assert_eq!(kinds, [kind], "{text}");
    }
    assert!(!parse("User-agent: * all\nDisallow: /").decide(&["x"], "/").allowed);
    assert!(parse("User-agent: *bot\nDisallow: /").decide(&["x"], "/").allowed);
}

#[test]
fn lines_that_are_not_records_are_counted() {
    let robots = parse("# x\n\nUser-agent: *\n<p style=\"a:b\">\nHarry Potter\nDisallow: /\n");
    assert_eq!((robots.content_lines, robots.junk_lines), (4, 2));
}

#[test]
fn utf_16_has_no_lines() {
    let mut body = vec![0xff, 0xfe];
    body.extend("User-agent: *\nDisallow: /\n".encode_utf16().flat_map(u16::to_le_bytes));
    let robots = RobotsTxt::parse(&body);
    assert!(robots.groups.is_empty());
    assert_eq!(robots.lints.first().map(|lint| lint.kind), Some(LintKind::Utf16));
}

#[test]
fn a_nul_is_a_byte_like_any_other() {
    let robots = parse("User-agent: *\nDisallow: /a\0b\nDis\0allow: /\n");
    assert!(!robots.decide(&["x"], "/a%00b").allowed);
    assert!(robots.decide(&["x"], "/a").allowed);
}

#[test]
fn a_very_long_line_is_read_whole() {
    let path = "a".repeat(20_000);
    let robots = parse(&format!("User-agent: *\nDisallow: /{path}\n"));
    assert_eq!(robots.lints[0].kind, LintKind::LongLine);
    assert!(robots.decide(&["x"], &format!("/{}", "a".repeat(19_999))).allowed);
    assert!(!robots.decide(&["x"], &format!("/{path}")).allowed);
}

#[test]
fn lints_are_bounded() {
    assert_eq!(parse(&"Foo: bar\n".repeat(10_000)).lints.len(), 200);
}

/// RFC 9309 section 2.5.
#[test]
fn the_line_at_the_cap_counts_only_if_it_is_whole() {
    let start = "User-agent: *\nDisallow: /\n#";
    let end = "\nAllow: /";
    let filler = "x".repeat(MAX_ROBOTS_BYTES - start.len() - end.len());
    let full = format!("{start}{filler}{end}");
    assert_eq!(full.len(), MAX_ROBOTS_BYTES);
    for (more, allowed, truncated) in
        [("", true, false), ("\nAllow: /b\n", true, true), ("private\n", false, true)]
    {
        let robots = parse(&format!("{full}{more}"));
        assert_eq!(robots.truncated, truncated, "{more:?}");
        assert_eq!(robots.decide(&["x"], "/").allowed, allowed, "{more:?}");
    }
    assert!(!RobotsTxt::parse_start(full.as_bytes()).decide(&["x"], "/").allowed);
}

#[test]
fn a_group_keeps_its_first_records() {
    for key in ["Crawl-delay: 1", "Content-Signal: search=no", "Content-Usage: search=n"] {
        let robots =
            parse(&format!("User-agent: *\n{}Disallow: /\n", format!("{key}\n").repeat(300)));
        let group = &robots.groups[0];
        let lists = [&group.crawl_delays, &group.content_signals, &group.content_usages];
        assert_eq!(lists.map(Vec::len).iter().sum::<usize>(), 100, "{key}");
        assert_eq!(group.rules.len(), 1);
    }
}

#[test]
fn decisions_share_the_text_of_a_rule() {
    let robots = parse(&format!("User-agent: *\nDisallow: /{}\n", "*".repeat(500_000)));
    let decisions = robots.decide_all(&[vec!["a"], vec!["b"]], &["/", "/x"]);
    let own = &robots.groups[0].rules[0].pattern;
    for decision in decisions.iter().flatten() {
        assert!(std::sync::Arc::ptr_eq(&decision.rule.as_ref().unwrap().pattern, own));
    }
}
