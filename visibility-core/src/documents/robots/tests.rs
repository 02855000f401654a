mod rules;
mod states;
mod vectors;

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// Lines as found in real files, and some that should not be there.
fn line() -> impl Strategy<Value = String> {
    let agent = prop::sample::select(vec!["*", "GPTBot", "gptbot/1.0", "a", "a-b", "AI2Bot", ""]);
    let path = "[/*$%a2b?=.]{0,8}";
    prop_oneof![
        agent.prop_map(|agent| format!("User-agent: {agent}")),
        path.prop_map(|path| format!("Allow: {path}")),
        path.prop_map(|path| format!("Disallow: {path}")),
        Just(String::new()),
        Just("Crawl-delay: 5".to_owned()),
        Just("Sitemap: https://e.com/s.xml".to_owned()),
        "[ -~]{0,20}",
    ]
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(body in prop::collection::vec(any::<u8>(), 0..400), url in ".{0,40}") {
        let robots = RobotsTxt::parse(&body);
        robots.decide(&["a", &url], &url);
        RobotsTxt::parse_start(&body);
    }

    #[test]
    fn a_comment_line_changes_no_verdict(
        lines in prop::collection::vec(line(), 0..20),
        at in 0_usize..20,
        url in "/[ab/?%2*$]{0,8}",
    ) {
        let mut commented = lines.clone();
        commented.insert(at.min(lines.len()), " # Disallow: /".to_owned());
        let before = RobotsTxt::parse(lines.join("\n").as_bytes());
        let after = RobotsTxt::parse(commented.join("\n").as_bytes());
        for token in ["gptbot", "a", "ai2bot", "x"] {
            let (before, after) = (before.decide(&[token], &url), after.decide(&[token], &url));
            prop_assert_eq!(before.allowed, after.allowed);
            prop_assert_eq!(before.rule.map(|rule| rule.text()), after.rule.map(|rule| rule.text()));
        }
    }

    #[test]
    fn the_order_of_groups_decides_nothing(
        groups in prop::collection::vec(prop::collection::vec("[/*$ab]{1,4}", 1..4), 1..4),
        url in "/[ab/]{0,6}",
    ) {
        let write = |groups: &mut dyn Iterator<Item = &Vec<String>>| {
            let mut text = String::new();
            for (number, rules) in groups.enumerate() {
                let token = if number % 2 == 0 { "GPTBot" } else { "gptbot" };
                writeln!(text, "User-agent: {token}").unwrap();
                for rule in rules {
                    let key = if rule.len() % 2 == 0 { "Allow" } else { "Disallow" };
                    writeln!(text, "{key}: {rule}").unwrap();
                }
            }
            RobotsTxt::parse(text.as_bytes()).decide(&["GPTBot"], &url).allowed
        };
        prop_assert_eq!(write(&mut groups.iter()), write(&mut groups.iter().rev()));
    }

    #[test]
    fn many_decisions_are_the_same_as_single_ones(
        lines in prop::collection::vec(line(), 0..30),
        urls in prop::collection::vec("/[ab/?%2*$]{0,8}", 1..4),
    ) {
        let robots = RobotsTxt::parse(lines.join("\n").as_bytes());
        let agents = [vec!["GPTBot"], vec!["x", "a"], vec!["AI2Bot"], vec!["x"]];
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        let all = robots.decide_all(&agents, &urls);
        for (agent, decisions) in agents.iter().zip(all) {
            for (url, decision) in urls.iter().zip(decisions) {
                prop_assert_eq!(robots.decide(agent, url), decision);
            }
        }
    }
}
