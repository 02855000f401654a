//! An access log: the same records and counts however it is cut, every line is counted once, and what is written is accepted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use visibility_core::access_log::summary::{SitemapPages, Summary, SummarySettings};
use visibility_core::access_log::{
    AccessLogFormat, Filter, FilterSettings, HashKey, HashPeriod, KeyMap, LineCounts, LineParser, LineSkipReason,
    detect,
};
use visibility_core::documents::robots::RobotsTxt;
use visibility_core::documents::sitemap::Sitemap;
use visibility_core::ingest::{
    LogRecord, RecordSink, RecordVerdict, Rejection, Rules, strip_denied, validate_record,
};
use visibility_core::store::StoreError;

#[derive(Debug, Default, PartialEq)]
struct RecordLines(Vec<Vec<u8>>);

impl RecordSink for RecordLines {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        let mut line = Vec::new();
        record.write_json(&mut line);
        self.0.push(line);
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

fn settings() -> FilterSettings {
    FilterSettings {
        key: HashKey::new(b"a key of the source").expect("a key"),
        period: HashPeriod::Day,
        joins_ipv6_networks: true,
        default_host: Some("www.example.com".to_owned()),
        proxies: vec!["10.0.0.0/8".parse().expect("a network")],
        identities: None,
        drops_impostors: false,
        not_before: "2026-01-01T00:00:00Z".parse().expect("a time"),
        rules: Rules::at("2026-11-20T23:30:00Z".parse().expect("a time")),
    }
}

fn filtered(format: AccessLogFormat, chunks: &[&[u8]]) -> (RecordLines, LineCounts) {
    let parser = LineParser::new(format, KeyMap::default());
    let mut filter = Filter::new(parser, settings(), RecordLines::default());
    filter.explain(3);
    for chunk in chunks {
        filter.feed(chunk).expect("a sink that takes everything");
    }
    filter.end_file().expect("a sink that takes everything");
    let counts = filter.counts().clone();
    (std::mem::take(filter.sink_mut()), counts)
}

/// A report of the same lines counts the same records.
fn assert_report(format: AccessLogFormat, data: &[u8], records: u64) {
    let parser = LineParser::new(format, KeyMap::default());
    let mut sitemap = SitemapPages::default();
    if let Ok(parsed) = Sitemap::parse(data, false) {
        sitemap.add(&parsed);
    }
    let summary = SummarySettings {
        robots: Some(RobotsTxt::parse(data)),
        sitemap: Some(sitemap),
        ..SummarySettings::default()
    };
    let mut filter = Filter::new(parser, settings(), Summary::new(summary));
    filter.feed(data).expect("a sink that takes everything");
    filter.end_file().expect("a sink that takes everything");
    let report = filter.sink_mut().reports(100).remove(0);
    assert_eq!(report.agent_requests, records);
    assert!(report.requests >= records);
    let sitemap = report.sitemap.as_ref().expect("a sitemap was given");
    assert!(sitemap.read <= sitemap.pages);
    let robots = report.robots.as_ref().expect("a robots.txt was given");
    assert!(robots.disallowed_requests <= records);
    serde_json::to_string(&report).expect("JSON");
}

fuzz_target!(|data: &[u8]| {
    let _ = detect(data, true, &KeyMap::default());
    let rules = settings().rules;
    for format in AccessLogFormat::ALL {
        let (records, counts) = filtered(format, &[data]);
        let skipped: u64 = LineSkipReason::all().map(|reason| counts.skipped(reason)).sum();
        assert_eq!(counts.lines(), counts.records() + skipped);
        assert_eq!(counts.records(), records.0.len() as u64);
        for line in &records.0 {
            let line = std::str::from_utf8(line).expect("text");
            assert!(matches!(validate_record(line, &rules), Ok(RecordVerdict::Accepted(_))), "{line}");
        }
        assert_report(format, data, counts.records());
        let (start, end) = data.split_at(data.len() / 2);
        assert_eq!((records, counts), filtered(format, &[start, end]));
    }
    if let Ok(target) = std::str::from_utf8(data)
        && let Some(stripped) = strip_denied(target, false)
    {
        let again = strip_denied(&stripped.target, false).expect("a fine target");
        assert_eq!(again.target, stripped.target);
    }
});
