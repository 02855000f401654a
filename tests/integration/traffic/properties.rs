//! The sum of any series is the summary of the same records, and what the counts cannot say is refused.

use chrono::{TimeDelta, Utc};
use visibility_core::agents::{Purpose, Registry};
use visibility_core::traffic::PathKind;
use visibility_server::traffic::hosts::{HostRow, HostsQuestion};
use visibility_server::traffic::page::{MAX_LIMIT, Page};
use visibility_server::traffic::selection::{Selection, StatusSelection};
use visibility_server::traffic::series::{SeriesGroup, SeriesQuestion, SeriesStep};
use visibility_server::traffic::summary::SummaryQuestion;
use visibility_server::traffic::{Answer, Question, answer};
use visibility_tests::random::Random;

use super::{LogServer, Records, TENANT, days_ago, today};

const FILTERS: usize = 1000;
const HOSTS: [&str; 4] =
    ["www.example.com", "shop.example.com", "docs.example.com", "none.example"];
const PATHS: [&str; 8] =
    ["/", "/a", "/robots.txt", "/sitemap.xml", "/llms.txt", "/a.md", "/feed.xml", "/x.css"];
const STATUSES: [u16; 9] = [200, 301, 304, 400, 403, 404, 410, 429, 503];
const USER_AGENTS: [&str; 5] =
    ["GPTBot/1.2", "ClaudeBot/1.0", "PerplexityBot/1.0", "ChatGPT-User/1.0", "Bytespider"];
const GROUPS: [SeriesGroup; 6] = [
    SeriesGroup::Purpose,
    SeriesGroup::Agent,
    SeriesGroup::Vendor,
    SeriesGroup::Host,
    SeriesGroup::Status,
    SeriesGroup::Kind,
];

fn records(random: &mut Random) -> Records {
    Records {
        at: Utc::now() - TimeDelta::minutes(random.up_to(60 * 24 * 60)),
        user_agent: (*random.pick(&USER_AGENTS)).to_owned(),
        host: (*random.pick(&HOSTS[..3])).to_owned(),
        path: (*random.pick(&PATHS)).to_owned(),
        status: *random.pick(&STATUSES),
        bytes: random.below(10_000).into(),
        times: 1,
    }
}

/// One in four filters is not there.
fn perhaps<T: Clone>(random: &mut Random, list: &[T]) -> Option<T> {
    (random.below(4) == 0).then(|| random.pick(list).clone())
}

fn selection(random: &mut Random) -> Selection {
    let agents: Vec<String> =
        Registry::embedded().matrix().iter().map(|agent| agent.id.clone()).collect();
    let vendors = ["OpenAI", "Anthropic", "ByteDance"].map(str::to_owned);
    let statuses = [
        StatusSelection::One(404),
        StatusSelection::One(200),
        StatusSelection::Class(4),
        StatusSelection::Class(3),
        StatusSelection::Refused,
        StatusSelection::Missing,
        StatusSelection::Failed,
    ];
    let purposes = [Purpose::Search, Purpose::User, Purpose::Training];
    let (from, to) = (random.up_to(62), random.up_to(62));
    Selection {
        agent: perhaps(random, &agents),
        purpose: perhaps(random, &purposes),
        vendor: perhaps(random, &vendors),
        host: perhaps(random, &HOSTS.map(str::to_owned)),
        status: perhaps(random, &statuses),
        kind: perhaps(random, &PathKind::ALL),
        ..Selection::of_days(
            TENANT.parse().unwrap(),
            days_ago(from.max(to)),
            days_ago(from.min(to)),
        )
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sum_of_any_series_is_the_summary() {
    let server = LogServer::start().await;
    let mut random = Random::new(72);
    let all: Vec<Records> = (0..4000).map(|_| records(&mut random)).collect();
    server.send(&all).await;
    let stores = std::sync::Arc::clone(&server.server.stores);
    let compared = tokio::task::spawn_blocking(move || {
        let (mut answered, mut refused, mut requests) = (0, 0, 0);
        while answered < FILTERS {
            let selection = selection(&mut random);
            let by = *random.pick(&[SeriesStep::Day, SeriesStep::Day, SeriesStep::Hour]);
            let group = *random.pick(&GROUPS);
            let series = SeriesQuestion { selection: selection.clone(), by, group };
            let summary = Question::Summary(SummaryQuestion { selection: selection.clone() });
            let page = Page { limit: MAX_LIMIT, after: None };
            let hosts = Question::Hosts(HostsQuestion { selection: selection.clone(), page });
            if let Err(error) = series.check(today()) {
                assert_ne!(error.parameters[0], error.parameters[1], "{error}");
                refused += 1;
                continue;
            }
            summary.check(today()).unwrap();
            let now = Utc::now();
            let (Answer::Series(series), Answer::Summary(summary), Answer::Hosts(hosts)) = (
                answer(&stores, &Question::Series(series), now).unwrap(),
                answer(&stores, &summary, now).unwrap(),
                answer(&stores, &hosts, now).unwrap(),
            ) else {
                panic!("another answer")
            };
            let sum: u64 = series.groups.iter().map(|group| group.requests).sum();
            let of_values: u64 = series.groups.iter().flat_map(|group| &group.values).sum();
            assert_eq!(sum, summary.period.requests, "{selection:?} {by:?} {group:?}");
            assert_eq!(of_values, sum, "{selection:?} {by:?} {group:?}");
            let sum_of = |count: fn(&HostRow) -> u64| hosts.hosts.iter().map(count).sum::<u64>();
            assert_eq!(sum_of(|host| host.period.requests), sum, "{selection:?}");
            assert_eq!(sum_of(|host| host.values.iter().sum()), sum, "{selection:?}");
            assert_eq!(sum_of(|host| host.period.refused), summary.period.refused, "{selection:?}");
            assert_eq!(sum_of(|host| host.before.failed), summary.before.failed, "{selection:?}");
            answered += 1;
            requests += sum;
        }
        (refused, requests)
    });
    let (refused, requests) = compared.await.unwrap();
    assert!(refused > 100, "{refused} were refused");
    assert!(requests > 10_000, "{requests} requests: the filters leave too little");
}
