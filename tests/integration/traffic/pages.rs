//! The pages about logs: every number is in an answer of the API, and nothing of strangers is markup.

mod numbers;
mod states;

use chrono::{NaiveTime, TimeDelta};
use visibility_core::accounts::scope::Scope;
use visibility_server::settings::Settings;

use super::{LogServer, Records, days_ago};
use crate::api::browser::{ADA, Browser, PASSWORD, make_user};

const OTHER_HOST: &str = "docs.example.com";

/// A server with records of 45 days: every kind of answer, two hosts, and an agent that is refused since a day.
async fn server(change: impl FnOnce(&mut Settings)) -> LogServer {
    let server = LogServer::start_with(change).await;
    server.send(&records()).await;
    make_user(&server.server, ADA, &[Scope::LogsRead]);
    server
}

fn records() -> Vec<Records> {
    let agents = [
        ("GPTBot/1.2", "www.example.com", "/", 200, 7),
        ("ChatGPT-User/1.0", "www.example.com", "/pricing", 200, 3),
        ("ClaudeBot/1.0", OTHER_HOST, "/docs/a", 200, 5),
        ("ClaudeBot/1.0", "www.example.com", "/gone", 404, 1),
        ("PerplexityBot/1.0", OTHER_HOST, "/robots.txt", 200, 2),
        ("OAI-SearchBot/1.0", "www.example.com", "/app.js", 500, 1),
        ("Bytespider", "www.example.com", "/x", 429, 2),
    ];
    let mut records = Vec::new();
    for day in 0..45 {
        let at = days_ago(day).and_time(NaiveTime::MIN).and_utc();
        // A record of today is never of the future.
        let at = if day == 0 { at } else { at + TimeDelta::hours(7) };
        for (user_agent, host, path, status, times) in agents {
            let is_refused = user_agent.starts_with("Perplexity") && day < 6;
            records.push(Records {
                at,
                user_agent: user_agent.to_owned(),
                host: host.to_owned(),
                path: path.to_owned(),
                status: if is_refused { 403 } else { status },
                bytes: 1000,
                times: times + usize::try_from(day % 3).unwrap(),
            });
        }
    }
    records
}

async fn signed_in(server: &LogServer) -> Browser<'_> {
    let mut browser = Browser::new(&server.server);
    assert_eq!(browser.sign_in("/sign-in?next=/logs", ADA, PASSWORD).await.status, 303);
    browser
}
