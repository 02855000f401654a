use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::*;
use crate::ingest::{LogRecord, RecordSink, RecordVerdict, Rejection, Rules, validate_record};
use crate::store::StoreError;

const KEY: &[u8] = b"visibility-test-key";
const BOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.3)";

/// The lines that a filter has written.
#[derive(Debug, Default)]
struct Written(Vec<String>);

impl RecordSink for Written {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        let mut line = Vec::new();
        record.write_json(&mut line);
        self.0.push(String::from_utf8(line).unwrap());
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-11-21T00:00:00Z").unwrap().to_utc()
}

fn settings() -> FilterSettings {
    FilterSettings {
        key: HashKey::new(KEY).unwrap(),
        period: HashPeriod::NinetyDays,
        joins_ipv6_networks: false,
        default_host: Some("www.example.com".to_owned()),
        proxies: Vec::new(),
        identities: None,
        drops_impostors: false,
        not_before: DateTime::UNIX_EPOCH,
        rules: Rules::at(now()),
    }
}

/// What a filter makes of chunks, with every line counted once and every record accepted again.
fn filtered(
    format: AccessLogFormat,
    settings: FilterSettings,
    chunks: &[&[u8]],
) -> (Vec<Value>, LineCounts) {
    let rules = settings.rules.clone();
    let parser = LineParser::new(format, KeyMap::default());
    let mut filter = Filter::new(parser, settings, Written::default());
    for chunk in chunks {
        filter.feed(chunk).unwrap();
    }
    filter.end_file().unwrap();
    let counts = filter.counts().clone();
    let skipped: u64 = LineSkipReason::all().map(|reason| counts.skipped(reason)).sum();
    assert_eq!(counts.lines(), counts.records() + skipped);
    let written = std::mem::take(&mut filter.sink_mut().0);
    assert_eq!(counts.records(), written.len() as u64);
    for line in &written {
        assert!(matches!(validate_record(line, &rules), Ok(RecordVerdict::Accepted(_))), "{line}");
    }
    (written.iter().map(|line| serde_json::from_str(line).unwrap()).collect(), counts)
}

/// The reasons of the lines that were skipped.
fn skipped(counts: &LineCounts) -> BTreeMap<&'static str, u64> {
    let found = LineSkipReason::all().map(|reason| (reason.name(), counts.skipped(reason)));
    found.filter(|(_, count)| *count > 0).collect()
}

#[derive(Deserialize)]
struct LogSample {
    id: String,
    format: String,
    lines: Vec<String>,
    record: Option<serde_json::Map<String, Value>>,
    keep: bool,
    client: Option<String>,
    host: Option<String>,
    #[serde(default)]
    proxies: Vec<String>,
}

#[test]
fn samples_of_servers_are_read_field_by_field() {
    let samples: Vec<LogSample> =
        serde_json::from_str(include_str!("../../testdata/access_log_samples.json")).unwrap();
    assert!(samples.len() > 30);
    for sample in samples {
        let id = &sample.id;
        let format = AccessLogFormat::from_id(&sample.format).unwrap();
        let settings = FilterSettings {
            default_host: sample.host.clone(),
            proxies: sample.proxies.iter().map(|net| net.parse().unwrap()).collect(),
            identities: None,
            drops_impostors: false,
            ..settings()
        };
        let log = format!("{}\n", sample.lines.join("\n"));
        let (records, counts) = filtered(format, settings, &[log.as_bytes()]);
        assert_eq!(records.len(), usize::from(sample.keep), "{id}: {:?}", skipped(&counts));
        let (Some(record), Some(expected)) = (records.first(), &sample.record) else { continue };
        for (name, value) in expected {
            assert_eq!(&record[name], value, "{id}: {name}");
        }
        let address = client::address(sample.client.as_deref().unwrap()).unwrap();
        let time = record["timestamp"].as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
        let hash =
            ip_hash::IpHasher::new(HashKey::new(KEY).unwrap(), HashPeriod::NinetyDays, false)
                .hash(&client::Client::Address(address), time.timestamp_millis());
        assert_eq!(record["client_ip_hash"], hash, "{id}");
    }
}

/// A line of the combined log format.
fn line(request: &str, status: &str, user_agent: &str) -> String {
    format!(
        r#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "{request}" {status} 5 "-" "{user_agent}""#
    )
}

#[test]
fn each_line_that_is_no_record_has_its_reason() {
    let long = format!("GET /{} HTTP/1.1", "a".repeat(9_000));
    let old = line("GET / HTTP/1.1", "200", BOT).replace("/2026", "/2020");
    let late = line("GET / HTTP/1.1", "200", BOT).replace("20/Nov/2026", "25/Nov/2026");
    let lines = [
        (line("GET / HTTP/1.1", "200", "Mozilla/5.0"), "not_an_agent"),
        (line("GET / HTTP/1.1", "200", "-"), "no_user_agent"),
        (line(r"\x16\x03\x01", "400", "-"), "no_request"),
        (line("<BADREQ>", "400", BOT), "no_request"),
        (line("get / HTTP/1.1", "400", BOT), "no_request"),
        (line("", "400", BOT), "no_request"),
        (line("GET / HTTP/1.1", "000", BOT), "no_status"),
        (line("GET / HTTP/1.1", "-", BOT), "no_status"),
        (old, "too_old"),
        ("this is not a log line".to_owned(), "unreadable"),
        (String::new(), "blank"),
        (" \t".to_owned(), "blank"),
        ("# comment".to_owned(), "comment"),
        ("x".repeat(2 * 1024 * 1024), "too_long"),
        (late, "timestamp_in_future"),
        (line(&long, "200", BOT), "request_path_too_long"),
        (line("GET /%3Ftoken=x HTTP/1.1", "200", BOT), "query_parameter_denied"),
        (line(&format!("GET /?{} HTTP/1.1", "a=1&".repeat(600)), "200", BOT), "invalid_field"),
        ("2026-11-20T23:20:36.1Z stdout P 203.0.113.9 - -".to_owned(), "part"),
    ];
    let settings = FilterSettings { not_before: now() - chrono::TimeDelta::days(89), ..settings() };
    for (line, reason) in &lines {
        let log = format!("{line}\n{}\n", self::line("GET / HTTP/1.1", "200", BOT));
        let (records, counts) =
            filtered(AccessLogFormat::Combined, settings.clone(), &[log.as_bytes()]);
        assert_eq!(records.len(), 1, "{line}");
        let expected = if *reason == "part" { "cut_off" } else { reason };
        assert_eq!(skipped(&counts), BTreeMap::from([(expected, 1)]), "{line:.100}");
    }
}

#[test]
fn a_last_line_without_its_end_is_read_if_it_can_be() {
    let whole = line("GET / HTTP/1.1", "200", BOT);
    let (records, counts) = filtered(AccessLogFormat::Combined, settings(), &[whole.as_bytes()]);
    assert_eq!((records.len(), skipped(&counts)), (1, BTreeMap::new()));
    let cut = whole.get(..whole.len() - 4).unwrap();
    let (records, counts) = filtered(AccessLogFormat::Combined, settings(), &[cut.as_bytes()]);
    assert_eq!((records.len(), skipped(&counts)), (0, BTreeMap::from([("cut_off", 1)])));
}

#[test]
fn the_port_of_a_host_is_left_out() {
    for (host, expected) in [
        ("www.example.com:80", "www.example.com"),
        ("WWW.Example.com", "www.example.com"),
        ("[2001:db8::1]:8443", "[2001:db8::1]"),
        ("203.0.113.1:18083", "203.0.113.1"),
    ] {
        let log = format!("{host} {}\n", line("GET / HTTP/1.1", "200", BOT));
        let (records, counts) =
            filtered(AccessLogFormat::VhostCombined, settings(), &[log.as_bytes()]);
        let record = records.first().unwrap_or_else(|| panic!("{host}: {:?}", skipped(&counts)));
        assert_eq!(record["host"], expected, "{host}");
    }
}

#[test]
fn a_filter_that_lives_for_long_judges_by_the_time_that_it_is() {
    let late =
        line("GET / HTTP/1.1", "200", BOT).replace("20/Nov/2026:23:20:36", "21/Nov/2026:00:10:00");
    let parser = LineParser::new(AccessLogFormat::Combined, KeyMap::default());
    let mut filter = Filter::new(parser, settings(), Written::default());
    let log = format!("{late}\n");
    filter.feed(log.as_bytes()).unwrap();
    filter.set_now(now() + chrono::TimeDelta::seconds(30));
    filter.feed(log.as_bytes()).unwrap();
    filter.set_now(now() + chrono::TimeDelta::minutes(15));
    filter.feed(log.as_bytes()).unwrap();
    assert_eq!(filter.counts().records(), 1);
}

#[test]
fn a_line_is_shown_beside_its_record_without_what_must_not_leave() {
    let log = r#"203.0.113.9 - secretuser [20/Nov/2026:23:20:36 +0000] "GET /p/ada@example.com?page=2&token=s3cr3t HTTP/1.1" 200 5 "https://a.example/?token=s3cr3t" "GPTBot/1.3"
2001:db8:85a3::7 - - [20/Nov/2026:23:20:37 +0000] "GET / HTTP/1.1" 200 5 "-" "GPTBot/1.3"
"#;
    let parser = LineParser::new(AccessLogFormat::Combined, KeyMap::default());
    let mut filter = Filter::new(parser, settings(), Written::default());
    filter.explain(5);
    filter.feed(log.as_bytes()).unwrap();
    let [first, second] = filter.explained() else { panic!("{:?}", filter.explained()) };
    assert_eq!(
        first.before,
        r#"203.0.113.x [20/Nov/2026:23:20:36 +0000] "GET /p/[redacted]?page=2&[removed]" 200 5 "https://a.example/" "GPTBot/1.3""#
    );
    assert!(first.after.contains(r#""request_path":"/p/[redacted]?page=2""#), "{}", first.after);
    assert_eq!((first.line, first.agent.name.as_str()), (1, "GPTBot"));
    assert!(second.before.starts_with("2001:db8::x ["), "{}", second.before);
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(line("GET /p?a=1&token=x HTTP/1.1", "200", BOT)),
        Just(line("GET / HTTP/1.1", "200", "curl/8")),
        Just(r#"{"ts":1795216836.6,"msg":"handled request","request":{"remote_ip":"10.0.0.7","method":"GET","host":"a.example","uri":"/p","headers":{"User-Agent":["GPTBot"]}},"size":5,"status":200}"#.to_owned()),
        Just(r#"{"time":1795216836,"status":200,"uri":"/p","method":"GET","ua":"GPTBot"}"#.to_owned()),
        Just("2026-11-20T23:20:36.1Z stdout P 203.0.113.9 - - [20/N".to_owned()),
        Just(r#"{"log":"203.0.113.9\n","stream":"stdout","time":"2026-11-20T23:20:36Z"}"#.to_owned()),
        "[\\x00-\\x7f]{0,80}",
        "\\PC{0,40}",
    ]
}

proptest! {
    #[test]
    fn every_line_is_counted_once_wherever_chunks_are_cut(
        lines in prop::collection::vec(text(), 0..8),
        foreign in any::<u8>(),
        at in any::<prop::sample::Index>(),
    ) {
        let mut log = lines.join("\n").into_bytes();
        if !log.is_empty() {
            let place = at.index(log.len());
            log[place] = foreign;
        }
        let cut = at.index(log.len() + 1);
        for format in AccessLogFormat::ALL {
            let whole = filtered(format, settings(), &[&log]);
            let parts = filtered(format, settings(), &[&log[..cut], &log[cut..]]);
            prop_assert_eq!(&whole, &parts);
            let bytes: Vec<&[u8]> = log.chunks(1).collect();
            prop_assert_eq!(&whole, &filtered(format, settings(), &bytes));
        }
        drop(detect(&log, true, &KeyMap::default()));
    }
}
