//! Two weeks of a small shop, for the examples in the documents: a log, a sitemap, and the lists of operators.

use serde_json::json;
use visibility_core::agents::Registry;

const PERSON: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0";
const PAGES: [&str; 8] = [
    "/",
    "/pricing",
    "/products/bread",
    "/products/rolls",
    "/products/cake",
    "/guides/sourdough",
    "/guides/storing-bread",
    "/about",
];

/// A kind of request that comes again and again.
struct Visitor {
    user_agent: &'static str,
    network: &'static str,
    /// Requests on each day, beginning with this one, counted from 0, one more each so many days.
    a_day: u32,
    first_day: u32,
    grows_each: u32,
    /// Its path is the next one of these each time.
    paths: &'static [&'static str],
    status: u16,
    referrer: &'static str,
}

fn agent(id: &str) -> &'static str {
    Registry::embedded().find(id).unwrap().example_user_agent.as_deref().unwrap()
}

fn visitors() -> Vec<Visitor> {
    let person = |a_day, referrer, paths| Visitor {
        user_agent: PERSON,
        network: "192.0.2",
        a_day,
        first_day: 0,
        grows_each: u32::MAX,
        paths,
        status: 200,
        referrer,
    };
    let of_agent = |id, a_day, paths| Visitor {
        user_agent: agent(id),
        network: "203.0.113",
        ..person(a_day, "-", paths)
    };
    let read = &["/pricing", "/products/bread", "/guides/sourdough", "/pricing", "/"];
    vec![
        person(180, "-", &PAGES),
        person(3, "https://chatgpt.com/", &["/products/bread", "/guides/sourdough", "/pricing"]),
        person(1, "https://www.perplexity.ai/", &["/guides/sourdough"]),
        Visitor { grows_each: 2, ..of_agent("openai-chatgpt-user", 6, read) },
        of_agent("perplexity-user", 2, &["/guides/sourdough", "/pricing"]),
        of_agent(
            "openai-oai-searchbot",
            5,
            &["/robots.txt", "/", "/products/bread", "/pricing", "/about"],
        ),
        of_agent("perplexity-perplexitybot", 3, &["/guides/sourdough", "/", "/products/rolls"]),
        of_agent("openai-gptbot", 2, &["/robots.txt"]),
        of_agent("anthropic-claudebot", 4, &["/robots.txt", "/products/bread", "/", "/about"]),
        Visitor {
            status: 404,
            first_day: 6,
            ..of_agent("openai-chatgpt-user", 2, &["/product/bread", "/guides/sourdoughs"])
        },
        of_agent("bytedance-bytespider", 3, &["/private/orders", "/", "/private/export"]),
        Visitor {
            network: "198.51.100",
            first_day: 11,
            ..of_agent("openai-gptbot", 40, &["/.env", "/wp-login.php"])
        },
    ]
}

/// The log.
pub(super) fn log() -> String {
    let mut lines = Vec::new();
    for (number, visitor) in visitors().into_iter().enumerate() {
        let mut paths = visitor.paths.iter().cycle();
        for day in visitor.first_day..14 {
            let count = visitor.a_day + (day - visitor.first_day) / visitor.grows_each;
            for at in 0..count {
                let minute = (at * 1_439 / count + u32::try_from(number).unwrap() * 7) % 1_440;
                let Visitor { user_agent, network, status, referrer, .. } = &visitor;
                let path = paths.next().unwrap();
                let address = format!("{network}.{}", 1 + at % 7);
                let (day, hour, minute) = (10 + day, minute / 60, minute % 60);
                lines.push((
                    (day, hour, minute),
                    format!(
                        "{address} - - [{day}/Nov/2026:{hour:02}:{minute:02}:00 +0000] \"GET {path} HTTP/1.1\" {status} 5123 \"{referrer}\" \"{user_agent}\"\n"
                    ),
                ));
            }
        }
    }
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}

/// The sitemap: two of its pages are read by no agent.
pub(super) fn sitemap() -> String {
    let pages = PAGES.iter().chain(&["/products/tart"]);
    pages.map(|path| format!("https://www.example.com{path}\n")).collect()
}

/// What `agents ranges fetch` has written.
pub(super) fn ranges() -> String {
    let list = |name: &str| {
        json!({
            "source": format!("https://openai.com/{name}.json"),
            "fetched_at": "2026-11-24T00:00:00Z",
            "published_at": null,
            "prefixes": ["203.0.113.0/24"],
        })
    };
    let lists = ["gptbot", "searchbot", "chatgpt-user"].map(list);
    json!({"schema_version": 1, "lists": lists}).to_string()
}
