use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde::Deserialize;

use super::*;

fn matched(user_agent: &str) -> Option<&'static str> {
    Registry::embedded().match_user_agent(user_agent).map(|agent| agent.id.as_str())
}

#[test]
fn the_matrix_has_27_rows_in_order() {
    let registry = Registry::embedded();
    assert_eq!(registry.agents.len(), 109);
    let matrix = registry.matrix();
    let positions: Vec<Option<u8>> = matrix.iter().map(|agent| agent.matrix_position).collect();
    assert_eq!(positions, (1..=27).map(Some).collect::<Vec<_>>());
    let count = |purpose| matrix.iter().filter(|agent| agent.purpose == purpose).count();
    assert_eq!([Purpose::Search, Purpose::User, Purpose::Training].map(count), [10, 8, 9]);
}

#[test]
fn ids_and_tokens_name_one_agent_each() {
    let agents = &Registry::embedded().agents;
    let ids: BTreeSet<&String> = agents.iter().map(|agent| &agent.id).collect();
    assert_eq!(ids.len(), agents.len());
    let mut owners: BTreeMap<String, &str> = BTreeMap::new();
    for agent in agents {
        assert!(!agent.robots_only || !agent.in_log_allowlist, "{}", agent.id);
        for token in &agent.user_agent_tokens {
            let owner = owners.insert(token.to_ascii_lowercase(), &agent.id);
            assert!(owner.is_none_or(|owner| owner == agent.id), "{token}");
        }
    }
}

#[test]
fn an_agent_is_found_by_id_name_or_token() {
    let registry = Registry::embedded();
    for name in ["openai-gptbot", "GPTBot", "gptbot"] {
        assert_eq!(registry.find(name).map(|agent| agent.id.as_str()), Some("openai-gptbot"));
    }
    assert_eq!(registry.find("GPT"), None);
}

#[derive(Deserialize)]
struct Examples {
    accept: Vec<Accepted>,
    reject: Vec<String>,
}

#[derive(Deserialize)]
struct Accepted {
    ua: String,
    expect: String,
}

#[test]
fn every_example_is_identified() {
    let examples: Examples =
        serde_json::from_str(include_str!("../../testdata/user_agents.json")).unwrap();
    assert_eq!((examples.accept.len(), examples.reject.len()), (50, 14));
    for example in examples.accept {
        assert_eq!(matched(&example.ua), Some(example.expect.as_str()), "{}", example.ua);
    }
    for user_agent in examples.reject {
        let listed = Registry::embedded().match_listed_user_agent(&user_agent);
        assert_eq!(listed, None, "{user_agent}");
    }
}

#[test]
fn the_example_of_every_agent_is_its_own() {
    for agent in &Registry::embedded().agents {
        if let Some(example) = agent.example_user_agent.as_ref().filter(|_| !agent.robots_only) {
            assert_eq!(matched(example), Some(agent.id.as_str()), "{example}");
        }
    }
}

#[test]
fn agents_without_a_row_or_a_place_in_logs_are_known() {
    for (user_agent, id) in [
        ("Mozilla/5.0 (compatible; ChatGPT Agent/1.0)", "openai-chatgpt-agent"),
        ("Cursor/1.7.38", "cursor-agent"),
        ("opencode/1.2.3", "opencode-agent"),
        ("claude-code/2.1.62 (cli)", "anthropic-claude-code"),
        (
            "Mozilla/5.0 (X11; Linux x86_64) Chrome/138.0 Aider/0.86.1 +https://aider.chat",
            "aider-agent",
        ),
        ("Windsurf/1.12.5", "windsurf-agent"),
        ("GitHubCopilotChat/0.35.0", "github-copilot"),
        ("codex_cli_rs/0.50.0 (Mac OS 15.1.0; arm64)", "openai-codex"),
        ("Mozilla/5.0 (compatible; Crawl4AI/0.7)", "crawl4ai-crawler"),
        (
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            "meta-facebookexternalhit",
        ),
        ("Mozilla/5.0 (compatible; xAI-SearchBot/1.0)", "xai-searchbot"),
        ("Aranet-SearchBot/1.0", "aranet-searchbot"),
        ("Channel3Bot/1.0", "channel3-bot"),
    ] {
        assert_eq!(matched(user_agent), Some(id), "{user_agent}");
        let agent = Registry::embedded().find(id).unwrap();
        assert_eq!((agent.purpose, agent.in_matrix), (Purpose::Other, false), "{id}");
        assert_eq!(Registry::embedded().match_listed_user_agent(user_agent), None, "{user_agent}");
    }
    assert_eq!(matched("ApifyBot/1.0"), Some("apify-wcc"));
    // What Claude Code reads for its user is a request of that agent.
    let reader = "Claude-User (claude-code/2.1.158; +https://support.anthropic.com/)";
    assert_eq!(matched(reader), Some("anthropic-claude-user"));
}

/// The allowlist of log records is what it was before these agents were known.
#[test]
fn the_log_allowlist_has_94_agents_and_others_do_not_hide_them() {
    let registry = Registry::embedded();
    let listed = registry.agents.iter().filter(|agent| agent.in_log_allowlist).count();
    assert_eq!(listed, 94);
    let both = "Mozilla/5.0 (compatible; GPTBot/1.4; facebookexternalhit/1.1)";
    assert_eq!(matched(both), Some("meta-facebookexternalhit"));
    let listed = registry.match_listed_user_agent(both).map(|agent| agent.id.as_str());
    assert_eq!(listed, Some("openai-gptbot"));
}

#[test]
fn the_longest_token_wins() {
    for (user_agent, id) in [
        ("Mozilla/5.0 (compatible; GPTBot/1.4; OAI-SearchBot/1.4)", "openai-oai-searchbot"),
        ("Googlebot-Image/1.0", "google-googlebot"),
        ("Mozilla/5.0 (compatible; Baiduspider-render/2.0)", "baidu-baiduspider"),
        ("AI2Bot-DeepResearchEval", "ai2-ai2bot"),
        ("Mozilla/5.0 (compatible; Google-CloudVertexBot)", "google-cloudvertexbot"),
    ] {
        assert_eq!(matched(user_agent), Some(id), "{user_agent}");
    }
}

#[test]
fn a_token_stands_between_boundaries() {
    for (user_agent, expected) in [
        ("GPTBot", true),
        ("GPTBot/1.4", true),
        ("GPTBot,x", true),
        ("GPTBot+x", true),
        ("GPTBot\tx", true),
        ("Mozilla/5.0 [GPTBot]", true),
        ("Mozilla/5.0\tGPTBot", true),
        ("mozilla/5.0 (GPTBOT)", true),
        ("GPTBot-Extra/1.0", false),
        ("GPTBot2/1.0", false),
        ("GPTBot.org", false),
        ("GPTBot@x", false),
        ("Mozilla/5.0 -GPTBot", false),
        ("Mozilla/5.0 =GPTBot", false),
    ] {
        assert_eq!(matched(user_agent).is_some(), expected, "{user_agent}");
    }
}

#[test]
fn a_prefix_may_go_on_behind_a_hyphen() {
    assert_eq!(matched("bedrockbot-0b1c/1.0"), Some("amazon-bedrockbot"));
    assert_eq!(matched("amazon-kendra-web-crawler"), Some("amazon-kendra"));
    assert_eq!(matched("CCBot-x"), None);
}

#[test]
fn an_address_is_no_product() {
    for user_agent in [
        "Mozilla/5.0 (compatible; x; +https://example.org/?by=x GPTBot@example.org)",
        "Mozilla/5.0 (compatible; GPTBot/https://example.org)",
        "Mozilla/5.0 (compatible; GPTBot/me@example.org)",
        "Mozilla/5.0 (+http://www.bing.com/bingbot.htm)",
        "Mozilla/5.0 (www.GPTBot/)",
    ] {
        assert_eq!(matched(user_agent), None, "{user_agent}");
    }
    assert!(matched("Mozilla/5.0 (compatible;GPTBot;+https://openai.com)").is_some());
}

#[test]
fn another_product_in_front_is_another_bot() {
    for user_agent in [
        "WireReaderBot/1.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "FreshRSS/1.24 (Linux; https://freshrss.org) like Googlebot",
        "Not Mozilla/5.0 (compatible; GPTBot/1.4)",
        "Opera/9.80 (GPTBot/1.0)",
    ] {
        assert_eq!(matched(user_agent), None, "{user_agent}");
    }
}

#[test]
fn a_first_name_needs_a_version() {
    assert_eq!(matched("Devin/1.0"), Some("cognition-devin"));
    for user_agent in ["Devin", "Devin/", "Devin/x", "Mozilla/5.0 (Devin; x)"] {
        assert_eq!(matched(user_agent), None, "{user_agent}");
    }
}

#[test]
fn tokens_of_robots_txt_are_no_visitors() {
    for user_agent in ["Google-Extended", "Applebot-Extended/1.0", "Mozilla/5.0 (Google-Extended)"]
    {
        assert_eq!(matched(user_agent), None, "{user_agent}");
    }
}

#[test]
fn quotes_and_spaces_around_do_not_matter() {
    for user_agent in ["\"GPTBot/1.4\"", "'GPTBot/1.4'", "  GPTBot/1.4 ", "\" GPTBot/1.4 \""] {
        assert_eq!(matched(user_agent), Some("openai-gptbot"), "{user_agent}");
    }
    for user_agent in ["", "-", "\"-\"", "\"\"", " ", "\"GPTBot"] {
        assert_eq!(matched(user_agent), None, "{user_agent}");
    }
}

#[test]
fn only_the_first_1024_bytes_count() {
    let filler =
        |length: usize| format!("Mozilla/5.0 {}", " ".repeat(length - "Mozilla/5.0 ".len()));
    assert!(matched(&format!("{}GPTBot/1.4", filler(1018))).is_some());
    assert!(matched(&format!("{}GPTBotX", filler(1018))).is_none());
    assert!(matched(&format!("{}GPTBot/1.4", filler(1019))).is_none());
}

#[test]
fn people_are_no_agents() {
    for user_agent in [
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1",
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
        "Mozilla/5.0 (Linux; Android 14; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/141.0.0.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/533.0.0.0;]",
        "Mozilla/5.0 (Linux; arm_64; Android 13) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 YaBrowser/25.8.0 Mobile Safari/537.36",
        "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
        "Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18",
        "Mozilla/5.0 (Macintosh) AppleWebKit/537.36 (KHTML, like Gecko) ChatGPT/1.2025.300 Chrome/141.0.0.0 Electron/38.0.0 Safari/537.36",
        "Mozilla/5.0 (Macintosh) AppleWebKit/537.36 (KHTML, like Gecko) Genspark/1.0 Chrome/141.0.0.0 Safari/537.36",
        "Mozilla/5.0 (Macintosh) AppleWebKit/537.36 (KHTML, like Gecko) Code/1.105.0 Chrome/138.0.0.0 Electron/37.6.0 Safari/537.36",
        "Perplexity/2.250926.0 (iPhone; iOS 18.6)",
        "Claude/1.250929.0 (Android 15)",
        "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
        "Mozilla/5.0 (compatible; bot/1.0)",
        "Mozilla/5.0 (compatible; Exabot/3.0; +http://www.exabot.com/go/robot)",
        "python-requests/2.32.5",
        "Go-http-client/2.0",
    ] {
        assert_eq!(matched(user_agent), None, "{user_agent}");
    }
}

/// What blocking costs is said in both languages, for the agents of the matrix and for no others.
#[test]
fn both_languages_know_the_27() {
    let ids: BTreeSet<String> =
        Registry::embedded().matrix().iter().map(|agent| agent.id.clone()).collect();
    let mut languages = Vec::new();
    for text in [include_str!("../../locales/en.json"), include_str!("../../locales/tr.json")] {
        #[derive(Deserialize)]
        struct Locale {
            agents: BTreeMap<String, String>,
        }
        let locale: Locale = serde_json::from_str(text).unwrap();
        assert_eq!(locale.agents.keys().cloned().collect::<BTreeSet<_>>(), ids);
        for (id, sentence) in &locale.agents {
            assert!(sentence.ends_with('.') && sentence.len() > 30, "{id}: {sentence}");
        }
        languages.push(locale.agents);
    }
    for (english, turkish) in languages[0].values().zip(languages[1].values()) {
        assert_ne!(english, turkish);
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in ".{0,60}", token in "(GPTBot|Devin/|Terra Cotta|bedrockbot-)") {
        matched(&format!("{text}{token}{text}"));
        matched(&text);
    }
}
