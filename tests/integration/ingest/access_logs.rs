//! The records of an access log are taken by the server as they are.

use chrono::{TimeDelta, Utc};
use visibility_core::access_log::{
    AccessLogFormat, Filter, FilterSettings, HashKey, HashPeriod, KeyMap, LineParser,
};
use visibility_core::ingest::{LogRecord, RecordSink, Rejection, Rules};
use visibility_core::store::StoreError;

use crate::ingest::server::Server;

#[derive(Default)]
struct RecordLines(Vec<u8>);

impl RecordSink for RecordLines {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        record.write_json(&mut self.0);
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_filter_writes_is_accepted_without_a_rejection() {
    let time = (Utc::now() - TimeDelta::minutes(5)).format("%d/%b/%Y:%H:%M:%S +0000");
    let targets = [
        "/",
        "/p?page=2&token=s3cr3t&email=a%40b.com",
        "/cb?code=SECRET&state=x",
        "/u/ada@example.com",
        "/a\\x22b\\xFF",
        "/%E2%9C%93;sid=1/q?x=1;y=2#z",
    ];
    let lines = targets.map(|target| {
        format!("203.0.113.9 - - [{time}] \"GET {target} HTTP/1.1\" 200 5 \"https://a.example/?token=x\" \"GPTBot/1.3\"\n")
    });
    let settings = FilterSettings {
        key: HashKey::new(b"a key of the source of logs").unwrap(),
        period: HashPeriod::NinetyDays,
        joins_ipv6_networks: false,
        default_host: Some("www.example.com".to_owned()),
        proxies: Vec::new(),
        identities: None,
        drops_impostors: false,
        not_before: chrono::DateTime::UNIX_EPOCH,
        rules: Rules::at(Utc::now()),
    };
    let parser = LineParser::new(AccessLogFormat::Combined, KeyMap::default());
    let mut filter = Filter::new(parser, settings, RecordLines::default());
    filter.feed(lines.concat().as_bytes()).unwrap();
    filter.end_file().unwrap();
    assert_eq!(filter.counts().records(), targets.len() as u64);
    let body = std::mem::take(&mut filter.sink_mut().0);
    let server = Server::start().await;
    let reply = server.post().body(body).send(server.address).await;
    assert_eq!(reply.status, 202, "{reply:?}");
    assert_eq!(server.kept(), targets.len() as u64);
}
