//! `visibility logs detect` and `visibility logs filter`.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use chrono::{DateTime, Utc};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use visibility_core::access_log::AccessLogFormat;
use visibility_core::ingest::{LogRecord, RecordSink, Rejection, Rules, read_batch};
use visibility_core::store::StoreError;
use visibility_tests::logs::{Bad, LogPlan, log};

use crate::cli::program::{Folder, Run, command, run, run_with_input};

const NOW: &str = "2026-11-20T23:30:00Z";
const HOST: &str = "www.example.com";
const GPTBOT: &str = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)";
const KEY: &str = "a key of the source of logs";

fn line(target: &str, user_agent: &str) -> String {
    format!(
        r#"203.0.113.9 - - [20/Nov/2026:23:20:36 +0000] "GET {target} HTTP/1.1" 200 5 "-" "{user_agent}""#
    )
}

fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Runs `logs filter` as of the time of the logs, with a key.
fn filter(folder: &Folder, arguments: &[&str]) -> Run {
    let key = folder.secret_file("key", KEY);
    let mut all = vec!["logs", "filter", "--now", NOW, "--hash-key-file", &key];
    all.extend(arguments);
    run(&all)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn what_is_written_is_accepted_and_every_line_is_counted() {
    let folder = Folder::new();
    let log = lines(&[
        line("/pricing?plan=pro&token=s3cr3t", GPTBOT),
        line("/", "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"),
        "trouble".to_owned(),
        line("/", GPTBOT),
        String::new(),
    ]);
    let path = folder.file("access.log", &log);
    let padding = lines(&vec![line("/", "curl/8.5.0"); 20]);
    let padded = folder.file("padded.log", [log.as_str(), &padding].concat());
    let counts = folder.path("counts.json");
    let refused = filter(&folder, &[&path, "--host", HOST]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{}", refused.stderr);
    let made = filter(&folder, &[&padded, "--host", HOST, "--counts", &counts]);
    assert_eq!(made.code, Some(5), "{}", made.stderr);
    assert!(made.stderr.starts_with("25 lines: 2 records\n"), "{}", made.stderr);
    let counts: Value = serde_json::from_str(&fs::read_to_string(counts).unwrap()).unwrap();
    let skipped: u64 =
        counts["skipped"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(counts["lines"].as_u64().unwrap(), counts["records"].as_u64().unwrap() + skipped);
    assert_eq!(
        (&counts["removed_parameters"], &counts["skipped"]["blank"]),
        (&1.into(), &1.into())
    );
    let judged = run_with_input(&["logs", "validate", "-", "--now", NOW], &made.stdout);
    assert_eq!(judged.code, Some(0), "{}", judged.stdout);
    let record: Value = serde_json::from_str(made.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&record["request_path"], &record["host"]),
        (&"/pricing?plan=pro".into(), &HOST.into())
    );
    // Again, it is the same.
    assert_eq!(filter(&folder, &[&padded, "--host", HOST]).stdout, made.stdout);
}

#[test]
fn plain_compressed_piped_and_in_any_order_it_is_the_same() {
    let folder = Folder::new();
    let old = lines(&[line("/a", GPTBOT), line("/b", GPTBOT)]);
    let new = lines(&[line("/c", GPTBOT), line("/d", "curl/8.5.0")]);
    let old_file = folder.file("access.log.1.gz", gzip(old.as_bytes()));
    let new_file = folder.file("access.log", &new);
    let empty = folder.file("access.log.2", "");
    let made = filter(&folder, &[&new_file, &old_file, &empty, "--host", HOST]);
    assert_eq!((made.code, made.stdout.lines().count()), (Some(0), 3), "{}", made.stderr);
    let key = folder.path("key");
    let arguments = ["logs", "filter", "-", "--host", HOST, "--now", NOW, "--hash-key-file", &key];
    for input in [[new.as_str(), &old].concat().into_bytes(), gzip([new, old].concat().as_bytes())]
    {
        assert_eq!(run_with_input(&arguments, input).stdout, made.stdout);
    }
    let output = folder.file("out.ndjson", "before");
    let written =
        filter(&folder, &[&folder.path("access.log"), &old_file, "--host", HOST, "-o", &output]);
    assert_eq!((written.code, written.stdout.as_str()), (Some(0), ""));
    assert_eq!(fs::read_to_string(output).unwrap(), made.stdout);
}

#[test]
fn every_refusal_says_what_to_do() {
    let folder = Folder::new();
    let log = folder.file("access.log", lines(&[line("/", GPTBOT)]));
    let common = folder.file("common.log", lines(&[line("/", "x").replace(r#" "-" "x""#, "")]));
    let unknown = folder.file("unknown.log", "date=2026-11-20 level=info\n");
    let json =
        r#"{"time":1795216836,"status":200,"uri":"/p","method":"GET","ua":"a","host":"a.example"}"#;
    let mixed = folder.file("mixed.log", format!("{json}\n{}", lines(&[line("/", GPTBOT)])));
    let cut =
        folder.file("cut.log.gz", &gzip(lines(&vec![line("/", GPTBOT); 50]).as_bytes())[..60]);
    let short = folder.secret_file("short", "too short\n");
    let readable = folder.file("readable", KEY);
    let key = folder.secret_file("key", KEY);
    let missing = folder.path("missing.log");
    let with_key: &[&str] = &["--hash-key-file", &key, "--host", HOST];
    for (file, arguments, expected) in [
        (&log, &["--host", HOST][..], "addresses need a key to be hashed"),
        (&log, &["--host", HOST, "--hash-key-file", &short], "9 bytes"),
        (&log, &["--host", HOST, "--hash-key-file", &readable], "chmod 600"),
        (&log, &["--host", "a b", "--hash-key-file", &key], "no host name"),
        (&log, &["--hash-key-file", &key], "--host www.example.com"),
        (&log, &["--host", HOST, "--hash-key-file", &key, "--hash-once"], "cannot be used with"),
        (&log, &["--host", HOST, "--hash-once", "--map", "what=x"], "the fields are"),
        (&log, &["--host", HOST, "--hash-once", "--source", "x"], "the formats are"),
        (&log, &["--host", HOST, "--hash-once", "--since", "x"], "30d"),
        (&log, &["--host", HOST, "--hash-once", "--trusted-proxy", "x"], "10.0.0.0/8"),
        (&common, with_key, "no user agent"),
        (&unknown, with_key, "look at line 1"),
        (&mixed, with_key, "give --source nginx_json or --source combined"),
        (&cut, with_key, "cannot read"),
        (&missing, with_key, "cannot read"),
    ] {
        let mut all = vec!["logs", "filter", file.as_str(), "--now", NOW];
        all.extend(arguments);
        let made = run(&all);
        assert_eq!((made.code, made.stdout.as_str()), (Some(2), ""), "{all:?}: {}", made.stderr);
        assert!(made.stderr.contains(expected), "{all:?}: {}", made.stderr);
    }
    // A key that comes through a pipe is whose it is.
    let made = run_with_input(
        &["logs", "filter", &log, "--now", NOW, "--host", HOST, "--hash-key-file", "-"],
        KEY,
    );
    assert_eq!((made.code, made.stdout.lines().count()), (Some(0), 1), "{}", made.stderr);
}

#[test]
fn a_log_of_the_wrong_kind_is_named_by_validate() {
    let folder = Folder::new();
    let log = folder.file("access.log", lines(&[line("/", GPTBOT)]));
    for (lang, expected) in
        [("en", "make records of it with `visibility logs filter`"), ("tr", "kayıt üretin")]
    {
        let made = run(&["logs", "validate", &log, "--lang", lang]);
        assert_eq!(made.code, Some(2));
        assert!(made.stderr.contains(expected), "{}", made.stderr);
    }
}

#[test]
fn batches_are_whole_files_that_are_accepted() {
    let folder = Folder::new();
    let log = folder.file("access.log", lines(&vec![line("/", GPTBOT); 1_000]));
    let batches = folder.path("out");
    let made = filter(&folder, &[&log, "--host", HOST, "--batches", &batches]);
    assert_eq!((made.code, made.stdout.as_str()), (Some(0), ""), "{}", made.stderr);
    let names: Vec<_> =
        fs::read_dir(&batches).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["000001.ndjson.gz"]);
    let judged = run(&["logs", "validate", &format!("{batches}/000001.ndjson.gz"), "--now", NOW]);
    assert!(judged.stdout.contains("all 1000 records"), "{}", judged.stdout);
    let again = filter(&folder, &[&log, "--host", HOST, "--batches", &batches]);
    assert_eq!(again.code, Some(2));
    assert!(again.stderr.contains("has batches already"), "{}", again.stderr);
}

/// What must be in no byte of what is printed or written.
const CANARIES: [&str; 8] = [
    "203.0.113.77",
    "198.51.100.44",
    "2001:db8:cafe::77",
    "canary-secret",
    "canary@example.com",
    "canaryuser",
    "canary-cookie",
    "canary-bearer",
];

/// The line with the names of the fields, where a format has one.
fn fields_line(format: AccessLogFormat) -> Option<&'static str> {
    match format {
        AccessLogFormat::CloudFront => Some(
            "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status \
             cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-host-header x-forwarded-for",
        ),
        AccessLogFormat::Iis => Some(
            "#Fields: date time cs-method cs-uri-stem cs-uri-query cs-username c-ip cs(User-Agent) \
             cs(Cookie) cs(Referer) cs-host sc-status sc-bytes",
        ),
        _ => None,
    }
}

/// Lines of each format with a canary in every field that can hold one.
fn lines_with_canaries(format: AccessLogFormat) -> Vec<String> {
    let mut made: Vec<String> = fields_line(format).into_iter().map(str::to_owned).collect();
    for address in ["203.0.113.77", "2001:db8:cafe::77"] {
        for target in [
            "/p?token=canary-secret",
            "/p?%74oken=canary-secret&a=1",
            "/p?%2574oken=canary-secret",
            "/p;token=canary-secret/q",
            "/go?next=%2Fcb%3Ftoken%3Dcanary-secret",
            "/cb?code=canary-secret&state=canary-secret",
            "/u/canary@example.com",
            "/u/canary%40example.com?mail=canary@example.com",
        ] {
            let combined = format!(
                r#"{address} - canaryuser [20/Nov/2026:23:20:36 +0000] "GET {target} HTTP/1.1" 200 5 "https://a.example/?token=canary-secret" "{GPTBOT}" "198.51.100.44""#
            );
            made.push(match format {
                AccessLogFormat::VhostCombined => format!("{HOST}:80 {combined}"),
                AccessLogFormat::Combined => combined,
                AccessLogFormat::Common => combined.split(" \"https").next().unwrap().to_owned(),
                AccessLogFormat::Cloudflare => format!(
                    r#"{{"EdgeStartTimestamp":1795216836,"ClientIP":"{address}","ClientRequestHost":"{HOST}","ClientRequestMethod":"GET","ClientRequestURI":"{target}","ClientRequestSource":"eyeball","Cookies":{{"a":"canary-cookie"}},"ClientRequestReferer":"https://a.example/?token=canary-secret","ClientRequestUserAgent":"{GPTBOT}","EdgeResponseStatus":200,"EdgeResponseBytes":5}}"#
                ),
                AccessLogFormat::Fastly => format!(
                    r#"{{"timestamp":"2026-11-20T23:20:36+0000","client_ip":"{address}","host":"{HOST}","url":"{target}","request_method":"GET","request_referer":"https://a.example/?token=canary-secret","request_user_agent":"{GPTBOT}","response_status":200,"response_body_size":5,"fastly_is_edge":true,"cookie":"canary-cookie"}}"#
                ),
                AccessLogFormat::TraefikJson => format!(
                    r#"{{"StartUTC":"2026-11-20T23:20:36.1Z","ClientHost":"{address}","ClientUsername":"canaryuser","RequestHost":"{HOST}","RequestMethod":"GET","RequestPath":"{target}","request_Referer":"https://a.example/?token=canary-secret","request_User-Agent":"{GPTBOT}","request_Cookie":"canary-cookie","request_Authorization":"canary-bearer","DownstreamStatus":200,"DownstreamContentSize":5}}"#
                ),
                AccessLogFormat::CloudFront => {
                    let (path, query) = target.split_once('?').unwrap_or((target, "-"));
                    let user_agent = GPTBOT.replace(' ', "%20");
                    format!(
                        "2026-11-20\t23:20:36\tNRT57\t5\t{address}\tGET\td1.cloudfront.net\t{path}\t200\thttps://a.example/?token=canary-secret\t{user_agent}\t{query}\tsession=canary-cookie\t{HOST}\t198.51.100.44"
                    )
                }
                AccessLogFormat::Iis => {
                    let (path, query) = target.split_once('?').unwrap_or((target, "-"));
                    let user_agent = GPTBOT.replace(' ', "+");
                    format!(
                        "2026-11-20 23:20:36 GET {path} {query} canaryuser {address} {user_agent} session=canary-cookie https://a.example/?token=canary-secret {HOST} 200 5"
                    )
                }
                AccessLogFormat::Alb => format!(
                    r#"https 2026-11-20T23:20:36.186641Z app/main/50dc {address}:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 5 "GET https://{HOST}:443{target} HTTP/2.0" "{GPTBOT}" - - arn:aws:x "Root=canary-cookie" "-" "-""#
                ),
                AccessLogFormat::NginxJson => format!(
                    r#"{{"time":1795216836,"remote_addr":"{address}","remote_user":"canaryuser","host":"{HOST}","request_method":"GET","request_uri":"{target}","status":200,"http_cookie":"canary-cookie","http_authorization":"canary-bearer","http_referer":"https://a.example/?token=canary-secret","http_user_agent":"{GPTBOT}","http_x_forwarded_for":"198.51.100.44"}}"#
                ),
                AccessLogFormat::Caddy => format!(
                    r#"{{"ts":1795216836.6,"logger":"http","msg":"handled request","user_id":"canaryuser","request":{{"remote_ip":"{address}","method":"GET","host":"{HOST}","uri":"{target}","headers":{{"User-Agent":["{GPTBOT}"],"Cookie":["canary-cookie"],"Authorization":["canary-bearer"],"X-Forwarded-For":["198.51.100.44"],"Referer":["https://a.example/?token=canary-secret"]}}}},"size":5,"status":200}}"#
                ),
            });
        }
    }
    // And a line that nothing is made of.
    made.push("203.0.113.77 canaryuser canary-secret".to_owned());
    made
}

#[test]
fn nothing_of_a_line_leaves_but_the_nine_fields() {
    for format in AccessLogFormat::ALL {
        let folder = Folder::new();
        let log = folder.file("access.log", lines(&lines_with_canaries(format)));
        let counts = folder.path("counts.json");
        let source = ["--source", format.id()];
        for arguments in
            [&["--explain", "100", "--counts", &counts][..], &["--trusted-proxy", "203.0.113.0/24"]]
        {
            for chosen in [&source[..], &[]] {
                let all = [&[log.as_str(), "--host", HOST][..], arguments, chosen].concat();
                let made = filter(&folder, &all);
                let is_read = format != AccessLogFormat::Common;
                assert_eq!(
                    made.stdout.lines().count(),
                    if is_read { 16 } else { 0 },
                    "{format:?} {}",
                    made.stderr
                );
                let counts = fs::read_to_string(&counts).unwrap_or_default();
                for canary in CANARIES {
                    for text in [&made.stdout, &made.stderr, &counts] {
                        assert!(
                            !text.contains(canary),
                            "{format:?} {arguments:?}: {canary} in {text}"
                        );
                    }
                }
            }
        }
        for output in ["human", "json"] {
            let made = run(&["logs", "detect", &log, "--format", output]);
            for canary in CANARIES {
                assert!(
                    !made.stdout.contains(canary) && !made.stderr.contains(canary),
                    "{canary}: {}",
                    made.stdout
                );
            }
        }
    }
}

/// The records that the server would keep of a batch, as lines.
#[derive(Default)]
struct StoredRecords(Vec<Value>);

impl RecordSink for StoredRecords {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        let mut line = Vec::new();
        record.write_json(&mut line);
        self.0.push(serde_json::from_slice(&line).unwrap());
        Ok(())
    }

    fn reject(&mut self, _: &Rejection<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A text as nginx writes it between quotes.
fn escaped(text: &str) -> String {
    if text.is_empty() {
        return "-".to_owned();
    }
    let escape = |byte: u8| match byte {
        b'"' | b'\\' | 0..0x20 | 0x7f.. => format!("\\x{byte:02X}"),
        _ => char::from(byte).to_string(),
    };
    text.bytes().map(escape).collect()
}

/// A request that was made, as a line of `CloudFront`.
fn written_by_cloudfront(record: &Value, time: DateTime<Utc>) -> String {
    let encoded = |name: &str| match record[name].as_str().unwrap() {
        "" => "-".to_owned(),
        text => text.replace('%', "%25").replace(' ', "%20"),
    };
    let target = record["request_path"].as_str().unwrap();
    let (path, query) = target.split_once('?').unwrap_or((target, "-"));
    format!(
        "{}\tNRT57\t{}\t203.0.113.9\t{}\td1.cloudfront.net\t{path}\t{}\t{}\t{}\t{query}\t-\t{}\t-",
        time.format("%Y-%m-%d\t%H:%M:%S%.6f"),
        record["response_bytes"],
        record["request_method"].as_str().unwrap(),
        record["status_code"],
        encoded("referrer"),
        encoded("user_agent"),
        record["host"].as_str().unwrap(),
    )
}

/// A request that was made, as a line of IIS.
fn written_by_iis(record: &Value, time: DateTime<Utc>) -> String {
    let text = |name: &str| record[name].as_str().unwrap();
    let target = text("request_path");
    let (path, query) = target.split_once('?').unwrap_or((target, "-"));
    let referrer = Some(text("referrer")).filter(|referrer| !referrer.is_empty());
    format!(
        "{} {} {path} {query} - 203.0.113.9 {} - {} {} {} {}",
        time.format("%Y-%m-%d %H:%M:%S%.6f"),
        text("request_method"),
        text("user_agent").replace(' ', "+"),
        referrer.unwrap_or("-"),
        text("host"),
        record["status_code"],
        record["response_bytes"],
    )
}

/// A request that was made, as a line of a format.
fn written(record: &Value, format: AccessLogFormat) -> String {
    let text = |name: &str| record[name].as_str().unwrap();
    let time: DateTime<Utc> = text("timestamp").parse().unwrap();
    let seconds = format!("{}.{:06}", time.timestamp(), time.timestamp_subsec_micros());
    let (status, bytes) = (&record["status_code"], &record["response_bytes"]);
    match format {
        AccessLogFormat::NginxJson => serde_json::json!({
            "msec": format!("{}.{:03}", time.timestamp(), time.timestamp_subsec_millis()),
            "remote_addr": "203.0.113.9",
            "host": text("host"),
            "request": format!("{} {} HTTP/1.1", text("request_method"), text("request_path")),
            "status": status.to_string(),
            "body_bytes_sent": bytes.to_string(),
            "http_referer": text("referrer"),
            "http_user_agent": text("user_agent"),
        })
        .to_string(),
        AccessLogFormat::Caddy => serde_json::json!({
            "ts": serde_json::from_str::<Value>(&seconds).unwrap(),
            "msg": "handled request",
            "request": {
                "remote_ip": "203.0.113.9",
                "method": text("request_method"),
                "host": text("host"),
                "uri": text("request_path"),
                "headers": { "User-Agent": [text("user_agent")], "Referer": [text("referrer")] },
            },
            "size": bytes,
            "status": status,
        })
        .to_string(),
        AccessLogFormat::CloudFront => written_by_cloudfront(record, time),
        AccessLogFormat::Iis => written_by_iis(record, time),
        AccessLogFormat::Cloudflare => serde_json::json!({
            "EdgeStartTimestamp": time.timestamp_nanos_opt(),
            "ClientIP": "203.0.113.9",
            "ClientRequestHost": text("host"),
            "ClientRequestMethod": text("request_method"),
            "ClientRequestURI": text("request_path"),
            "ClientRequestReferer": text("referrer"),
            "ClientRequestUserAgent": text("user_agent"),
            "EdgeResponseStatus": status,
            "EdgeResponseBytes": bytes,
        })
        .to_string(),
        _ => format!(
            r#"{}:80 203.0.113.9 - - [{}] "{} {} HTTP/1.1" {status} {bytes} "{}" "{}""#,
            text("host"),
            time.format("%d/%b/%Y:%H:%M:%S +0000"),
            text("request_method"),
            escaped(text("request_path")),
            escaped(text("referrer")),
            escaped(text("user_agent")),
        ),
    }
}

#[test]
fn requests_that_are_written_as_a_log_are_read_back() {
    let now = NOW.parse::<DateTime<Utc>>().unwrap();
    let (batch, _) = log(&LogPlan { records: 2_000, seed: 67, now, bad: Bad::None });
    let mut kept = StoredRecords::default();
    read_batch(
        batch.as_slice(),
        visibility_core::ingest::ContentCoding::Identity,
        &Rules::at(now),
        &mut kept,
    )
    .unwrap();
    assert_eq!(kept.0.len(), 2_000);
    for format in [
        AccessLogFormat::VhostCombined,
        AccessLogFormat::NginxJson,
        AccessLogFormat::Caddy,
        AccessLogFormat::Cloudflare,
        AccessLogFormat::CloudFront,
        AccessLogFormat::Iis,
    ] {
        let folder = Folder::new();
        let records = kept.0.iter().map(|record| written(record, format));
        let text: Vec<String> =
            fields_line(format).map(str::to_owned).into_iter().chain(records).collect();
        let path = folder.file("access.log", lines(&text));
        let made = filter(&folder, &[&path]);
        assert_eq!(made.code, Some(0), "{format:?}: {}", made.stderr);
        for (line, expected) in made.stdout.lines().zip(&kept.0) {
            let mut found: Value = serde_json::from_str(line).unwrap();
            found["client_ip_hash"] = expected["client_ip_hash"].clone();
            if format == AccessLogFormat::VhostCombined {
                found["timestamp"] = expected["timestamp"].clone();
            }
            let mut expected = expected.clone();
            if format == AccessLogFormat::Iis {
                // A blank and a plus sign are written alike.
                for record in [&mut found, &mut expected] {
                    let user_agent = record["user_agent"].as_str().unwrap().replace('+', " ");
                    record["user_agent"] = user_agent.into();
                }
            }
            assert_eq!(found, expected, "{format:?}");
        }
        assert_eq!(made.stdout.lines().count(), kept.0.len(), "{format:?}: {}", made.stderr);
    }
}

/// The most memory that a running program has had, in KiB; `None` where Linux does not say it.
fn peak_kib(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().trim_end_matches(" kB").parse().ok()
}

/// Runs `logs filter` with chunks of standard input, and says how much memory it has had before the end of them.
fn filter_chunks(chunks: impl IntoIterator<Item = Vec<u8>>) -> (Value, Option<u64>) {
    let folder = Folder::new();
    let key = folder.secret_file("key", KEY);
    let counts = folder.path("counts.json");
    let output = folder.path("records.ndjson");
    let mut child = command(&[
        "logs",
        "filter",
        "-",
        "--now",
        NOW,
        "--host",
        HOST,
        "--hash-key-file",
        &key,
        "--counts",
        &counts,
        "-o",
        &output,
        "--source",
        "combined",
    ])
    .stdin(Stdio::piped())
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    let mut input = child.stdin.take().unwrap();
    for chunk in chunks {
        input.write_all(&chunk).unwrap();
    }
    let peak = peak_kib(child.id());
    drop(input);
    child.wait().unwrap();
    (serde_json::from_str(&fs::read_to_string(counts).unwrap()).unwrap(), peak)
}

/// Asserts that a log takes hardly more memory than one of a few lines.
fn assert_little_memory(peak: Option<u64>) {
    let few = lines(&vec![line("/", GPTBOT); 1_000]).into_bytes();
    let (_, least) = filter_chunks([few]);
    let (Some(peak), Some(least)) = (peak, least) else { return };
    assert!(peak < least + 4 * 1024, "{peak} KiB, and {least} KiB for a few lines");
}

#[test]
fn a_line_of_64_mb_takes_no_memory() {
    let start = lines(&[line("/", GPTBOT)]).into_bytes();
    let long = (0..64).map(|_| vec![b'x'; 1024 * 1024]);
    let end = [b"\n", start.as_slice()].concat();
    let (counts, peak) = filter_chunks([start].into_iter().chain(long).chain([end]));
    assert_eq!((&counts["lines"], &counts["records"]), (&3.into(), &2.into()));
    assert_eq!(counts["skipped"]["too_long"], 1, "{counts}");
    assert_little_memory(peak);
}

#[test]
fn a_million_user_agents_take_no_memory() {
    let chunks = (0..1_000).map(|thousand| {
        let line = |n| line("/", &format!("Mozilla/5.0 (X11; Linux) Strange/{thousand}.{n}"));
        lines(&(0..1_000).map(line).collect::<Vec<_>>()).into_bytes()
    });
    let (counts, peak) = filter_chunks(chunks);
    assert_eq!((&counts["lines"], &counts["records"]), (&1_000_000.into(), &0.into()));
    assert_little_memory(peak);
}

#[test]
fn a_file_that_grows_is_read_as_far_as_it_goes() {
    let folder = Folder::new();
    let whole = lines(&vec![line("/", GPTBOT); 2_000]);
    let path = folder.file("access.log", &whole);
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut log = fs::OpenOptions::new().append(true).open(&path).unwrap();
            while !is_done.load(Ordering::Relaxed) {
                // As a server with a buffer writes: a line in two parts.
                let line = lines(&[line("/new", GPTBOT)]);
                let (start, end) = line.split_at(40);
                log.write_all(start.as_bytes()).unwrap();
                thread::sleep(Duration::from_micros(200));
                log.write_all(end.as_bytes()).unwrap();
            }
        });
        let mut most = 0;
        for _ in 0..5 {
            let made =
                filter(&folder, &[&path, "--host", HOST, "--counts", &folder.path("counts")]);
            assert!(matches!(made.code, Some(0 | 5)), "{}", made.stderr);
            let text = fs::read_to_string(folder.path("counts")).unwrap();
            let counts: Value = serde_json::from_str(&text).unwrap();
            let records = counts["records"].as_u64().unwrap();
            assert_eq!(records, made.stdout.lines().count() as u64);
            // What was there is read, and nothing of it is read twice; only the last line may be cut.
            assert!(records >= 2_000 && records >= most, "{counts}");
            assert!(counts["lines"].as_u64().unwrap() - records <= 1, "{counts}");
            most = records;
        }
        is_done.store(true, Ordering::Relaxed);
        assert!(most > 2_000);
    });
}

/// A file of lists with one network of GPTBot.
fn ranges(folder: &Folder, fetched_at: &str) -> String {
    let list = serde_json::json!({
        "source": "https://openai.com/gptbot.json",
        "fetched_at": fetched_at,
        "published_at": null,
        "prefixes": ["203.0.113.0/28"],
    });
    folder
        .file("ranges.json", serde_json::json!({"schema_version": 1, "lists": [list]}).to_string())
}

#[test]
fn impostors_are_counted_and_left_out_if_that_is_wanted() {
    let folder = Folder::new();
    let genuine = line("/", GPTBOT);
    let neighbour = genuine.replace("203.0.113.9", "203.0.113.16");
    let log = lines(&[
        genuine.clone(),
        neighbour,
        genuine.replace("203.0.113.9", "198.51.100.7"),
        genuine.replace("203.0.113.9", "10.0.0.7"),
        line("/", "Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)"),
    ]);
    let path = folder.file("access.log", log);
    let lists = ranges(&folder, "2026-11-20T00:00:00Z");
    let counts = folder.path("counts.json");
    let arguments = [&path, "--host", HOST, "--ranges", &lists, "--counts", &counts];
    let made = filter(&folder, &arguments);
    assert_eq!((made.code, made.stdout.lines().count()), (Some(0), 5), "{}", made.stderr);
    assert!(
        made.stderr.contains("1 of the operator, 2 not, 2 cannot be checked"),
        "{}",
        made.stderr
    );
    let written: Value = serde_json::from_str(&fs::read_to_string(&counts).unwrap()).unwrap();
    let identity = serde_json::json!({"verified": 1, "impostor": 2, "unchecked": 2});
    assert_eq!(written["identity"], identity);
    let dropped = filter(&folder, &[&arguments[..], &["--drop-impostors"]].concat());
    assert_eq!((dropped.code, dropped.stdout.lines().count()), (Some(0), 3), "{}", dropped.stderr);
    let written: Value = serde_json::from_str(&fs::read_to_string(&counts).unwrap()).unwrap();
    assert_eq!((&written["records"], &written["skipped"]["impostor"]), (&3.into(), &2.into()));
    // With an old list, nothing is said.
    ranges(&folder, "2025-11-20T00:00:00Z");
    let old = filter(&folder, &[&arguments[..], &["--drop-impostors"]].concat());
    assert_eq!(old.stdout.lines().count(), 5);
    let alone = filter(&folder, &[&path, "--host", HOST, "--drop-impostors"]);
    assert_eq!(alone.code, Some(2));
}
