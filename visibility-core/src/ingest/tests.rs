use std::fmt::Write as _;
use std::io::{Read, Write};

use chrono::DateTime;
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::agents::Registry;
use crate::error::{ErrorCode, Problem};
use crate::store::Counts;
use crate::text::locale::Lang;

mod vectors;

const NOW: &str = "2026-11-20T23:00:00Z";
const GPT_BOT: &str = "Mozilla/5.0 (compatible; GPTBot/1.3; +https://openai.com/gptbot)";

/// Keeps everything in words.
#[derive(Debug, Default, Eq, PartialEq)]
struct CollectedRecords {
    accepted: Vec<String>,
    rejected: Vec<(u64, Reason, Option<String>)>,
}

impl RecordSink for CollectedRecords {
    fn accept(&mut self, record: &LogRecord<'_>) -> Result<(), StoreError> {
        self.accepted.push(format!("{record:?}"));
        Ok(())
    }

    fn reject(&mut self, rejection: &Rejection<'_>) -> Result<(), StoreError> {
        let field = rejection.field.map(str::to_owned);
        self.rejected.push((rejection.line, rejection.reason, field));
        Ok(())
    }
}

fn rules() -> Rules {
    Rules::at(DateTime::parse_from_rfc3339(NOW).unwrap().to_utc())
}

type Outcome = Result<(Counts, CollectedRecords), String>;

fn read_with(rules: &Rules, chunks: &[&[u8]]) -> Outcome {
    let mut kept = CollectedRecords::default();
    let mut reader = BatchReader::new(rules, Registry::embedded(), &mut kept);
    let fed = chunks.iter().try_for_each(|chunk| reader.feed(chunk));
    let counts = fed.and_then(|()| reader.finish());
    counts.map(|counts| (counts, kept)).map_err(|error| error.to_string())
}

fn read(body: &[u8]) -> Outcome {
    read_with(&rules(), &[body])
}

/// A record that is taken, with some of its fields changed; `null` removes one.
fn record(changes: &Value) -> String {
    let mut record = json!({
        "timestamp": "2026-11-20T22:00:00Z",
        "user_agent": GPT_BOT,
        "request_method": "GET",
        "request_path": "/products/1",
        "status_code": 200,
        "response_bytes": 5123,
        "referrer": "",
        "host": "www.example.com",
        "client_ip_hash": "9f86d081884c7d659a2feaa0c55ad015",
    });
    for (name, value) in changes.as_object().unwrap() {
        record[name] = value.clone();
    }
    record.as_object_mut().unwrap().retain(|_, value| *value != "(none)");
    record.to_string()
}

/// What becomes of one line.
fn verdict(line: &str) -> Result<(), (Reason, Option<String>)> {
    let (counts, kept) = read(line.as_bytes()).unwrap();
    assert_eq!((counts.received, counts.accepted + counts.rejected), (1, 1));
    kept.rejected.into_iter().next().map_or(Ok(()), |(_, reason, field)| Err((reason, field)))
}

fn refused(reason: Reason, field: &str) -> Result<(), (Reason, Option<String>)> {
    Err((reason, Some(field.to_owned())))
}

fn malformed(body: &[u8]) -> (u64, u64, String) {
    let mut kept = CollectedRecords::default();
    let error = read_batch(body, ContentCoding::Identity, &rules(), &mut kept).unwrap_err();
    let BatchError::Malformed { line, column, expected } = error else { panic!("{error}") };
    (line, column, expected)
}

#[test]
fn the_first_rule_that_is_broken_is_the_reason() {
    let all = json!({
        "x": 1, "host": "(none)", "status_code": "200", "user_agent": "curl/8",
        "timestamp": "2020-01-01T00:00:00Z", "request_path": format!("/{}?token=1", "a".repeat(9_000)),
    });
    let mut all = all.as_object().unwrap().clone();
    let mut next = |fixed: &str, value: Value| {
        all.insert(fixed.to_owned(), value);
        verdict(&record(&Value::Object(all.clone())))
    };
    assert_eq!(next("y", json!(1)), refused(Reason::FieldNotAllowed, "x"));
    next("x", json!("(none)")).unwrap_err();
    assert_eq!(next("y", json!("(none)")), refused(Reason::MissingRequiredField, "host"));
    assert_eq!(next("host", json!("a.example")), refused(Reason::InvalidField, "status_code"));
    assert_eq!(next("status_code", json!(200)), Err((Reason::UserAgentNotInAllowlist, None)));
    assert_eq!(next("user_agent", json!(GPT_BOT)), refused(Reason::TimestampTooOld, "timestamp"));
    assert_eq!(
        next("timestamp", json!("2026-11-20T22:00:00Z")),
        refused(Reason::RequestPathTooLong, "request_path")
    );
    assert_eq!(
        next("request_path", json!("/?token=1")),
        refused(Reason::QueryParameterDenied, "request_path")
    );
    assert_eq!(next("request_path", json!("/?page=1")), Ok(()));
}

#[test]
fn the_first_field_of_the_contract_is_named() {
    let none: serde_json::Map<String, Value> =
        Field::ALL.iter().map(|field| (field.name().to_owned(), json!("(none)"))).collect();
    let nulls: serde_json::Map<String, Value> =
        Field::ALL.iter().map(|field| (field.name().to_owned(), Value::Null)).collect();
    for (position, field) in Field::ALL.iter().enumerate() {
        let mut names = none.clone();
        let mut invalid = nulls.clone();
        for other in &Field::ALL[..position] {
            names.remove(other.name());
            invalid.remove(other.name());
        }
        let expected = refused(Reason::MissingRequiredField, field.name());
        assert_eq!(verdict(&record(&Value::Object(names))), expected);
        let expected = refused(Reason::InvalidField, field.name());
        assert_eq!(verdict(&record(&Value::Object(invalid))), expected);
    }
    assert_eq!(verdict("{}"), refused(Reason::MissingRequiredField, "timestamp"));
}

#[test]
fn a_value_of_another_type_or_form_is_a_rejection() {
    for (field, value) in [
        ("status_code", "\"200\""),
        ("status_code", "200.0"),
        ("status_code", "2e2"),
        ("status_code", "1e400"),
        ("status_code", "-200"),
        ("status_code", "true"),
        ("status_code", "[200]"),
        ("response_bytes", "-0"),
        ("response_bytes", "-1"),
        ("response_bytes", "99999999999999999999"),
        ("response_bytes", "1E5"),
        ("response_bytes", "{}"),
        ("user_agent", "5"),
        ("referrer", "null"),
        ("host", "\"\""),
        ("host", "{\"host\":1}"),
        ("request_path", "\"\""),
        ("request_path", "\"products\""),
        ("request_path", "\"https://user:pass@www.example.com/\""),
        ("request_method", "\"get\""),
        ("client_ip_hash", "\"203.0.113.9\""),
        ("timestamp", "1763632800"),
    ] {
        let line = record(&json!({ field: "(value)" })).replace("\"(value)\"", value);
        assert_eq!(verdict(&line), refused(Reason::InvalidField, field), "{value}");
    }
}

#[test]
fn a_repeated_field_is_invalid_even_with_the_same_value() {
    let good = record(&json!({}));
    for again in ["\"host\":\"www.example.com\"", "\"h\\u006fst\":\"www.example.com\""] {
        let line = good.replacen('{', &format!("{{{again},"), 1);
        assert_eq!(verdict(&line), refused(Reason::InvalidField, "host"));
    }
    let line = good.replacen('{', "{\"x\":1,\"x\":2,", 1);
    assert_eq!(verdict(&line), refused(Reason::FieldNotAllowed, "x"));
}

#[test]
fn unknown_names_are_cut_at_64_bytes_between_characters() {
    let line = |name: &str| record(&json!({ name: 1 }));
    let long = format!("{}ü", "x".repeat(63));
    let expected = refused(Reason::FieldNotAllowed, &"x".repeat(63));
    assert_eq!(verdict(&line(&long)), expected);
    let expected = refused(Reason::FieldNotAllowed, &"x".repeat(64));
    assert_eq!(verdict(&line(&"x".repeat(5_000))), expected);
    assert_eq!(verdict(&line("host ")), refused(Reason::FieldNotAllowed, "host "));
    assert_eq!(verdict(&line("")), refused(Reason::FieldNotAllowed, ""));
    let escaped = record(&json!({})).replacen('{', "{\"\\u00fc\\ud83d\\ude00\\/\\n\":1,", 1);
    assert_eq!(verdict(&escaped), refused(Reason::FieldNotAllowed, "ü😀/\n"));
}

#[test]
fn depth_is_no_danger() {
    let deep = "[{\"a\":".repeat(100_000) + "1" + &"}]".repeat(100_000);
    let line = record(&json!({ "x": "(deep)" })).replace("\"(deep)\"", &deep);
    assert_eq!(verdict(&line), refused(Reason::FieldNotAllowed, "x"));
    let line = record(&json!({ "host": "(deep)" })).replace("\"(deep)\"", &deep);
    assert_eq!(verdict(&line), refused(Reason::InvalidField, "host"));
    let (line, column, _) = malformed("[".repeat(3_000_000).as_bytes());
    assert_eq!((line, column), (1, 1));
    let body = "{\"x\":".to_owned() + &"[".repeat(3_000_000);
    let (_, column, expected) = malformed(body.as_bytes());
    assert_eq!((column, expected.as_str()), (3_000_006, "a JSON value"));
}

#[test]
fn times_are_bounded_on_both_sides() {
    let at = |timestamp: &str| verdict(&record(&json!({ "timestamp": timestamp })));
    assert_eq!(at("2026-11-20T23:00:05Z"), Ok(()));
    assert_eq!(at("2026-11-20T23:00:05.000001Z"), refused(Reason::TimestampInFuture, "timestamp"));
    assert_eq!(at("2026-08-22T23:00:00Z"), Ok(()));
    assert_eq!(at("2026-08-22T22:59:59.999999Z"), refused(Reason::TimestampTooOld, "timestamp"));
}

#[test]
fn a_path_has_8192_bytes_at_most() {
    let path = |path: String| verdict(&record(&json!({ "request_path": path })));
    assert_eq!(path(format!("/{}", "a".repeat(8_191))), Ok(()));
    let expected = refused(Reason::RequestPathTooLong, "request_path");
    assert_eq!(path(format!("/{}", "a".repeat(8_192))), expected);
    assert_eq!(path(format!("/{}", "ü".repeat(5_000))), expected);
    assert_eq!(path(format!("/?{}", "a&".repeat(5_000))), expected);
}

#[test]
fn a_referrer_has_8192_bytes_at_most() {
    let line = |length: usize| record(&json!({ "referrer": "a".repeat(length) }));
    assert_eq!(verdict(&line(8_192)), Ok(()));
    assert_eq!(verdict(&line(8_193)), refused(Reason::InvalidField, "referrer"));
}

#[test]
fn escapes_are_read_before_the_rules() {
    let line = record(&json!({ "request_path": "(path)" }));
    let path = |path: &str| verdict(&line.replace("(path)", path));
    assert_eq!(path("\\/a\\u003ftoken=1"), refused(Reason::QueryParameterDenied, "request_path"));
    assert_eq!(path("\\u002fa"), Ok(()));
    let (_, kept) =
        read(line.replace("(path)", "\\/\\u00fc\\ud83d\\ude00\\\"").as_bytes()).unwrap();
    assert!(kept.accepted[0].contains(r#"request_path: "/ü😀\"""#), "{:?}", kept.accepted);
}

#[test]
fn every_line_end_and_blank_line_is_counted() {
    let good = record(&json!({}));
    let bad = record(&json!({ "x": 1 }));
    for (body, lines) in [
        (format!("{bad}\n{good}\n{bad}\n"), vec![1, 3]),
        (format!("{bad}\r\n{good}\r\n{bad}"), vec![1, 3]),
        (format!("\n \t \r\n\n{bad}\n\n\n{bad}\n\n"), vec![4, 7]),
        (format!("\u{feff}{bad}\n{good}"), vec![1]),
        (format!("\u{feff}\n{bad}"), vec![2]),
        (format!("  {bad}  \r\r\n{bad}"), vec![1, 2]),
    ] {
        let (_, kept) = read(body.as_bytes()).unwrap();
        assert_eq!(kept.rejected.iter().map(|rejection| rejection.0).collect::<Vec<_>>(), lines);
    }
}

#[test]
fn a_batch_without_a_record_is_refused() {
    for body in ["", "\n", " \t\r\n\n\r\n", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(read(body.as_bytes()).unwrap_err(), "the batch has no records", "{body:?}");
    }
}

#[test]
fn what_is_no_record_spoils_the_batch_and_is_found() {
    let good = record(&json!({}));
    for (bad, column, expected) in [
        ("null", 1, "a JSON object, which begins with `{`"),
        ("[{}]", 1, "a JSON object, which begins with `{`"),
        ("  x", 3, "a JSON object, which begins with `{`"),
        ("{} {}", 4, "the end of the line: a line holds one record"),
        ("{}\r{}", 4, "the end of the line: a line holds one record"),
        ("{}\u{2028}", 3, "the end of the line: a line holds one record"),
        ("{", 2, "the name of a field in double quotes, or `}`"),
        ("{\"a\":1,}", 8, "the name of a field in double quotes"),
        ("{'a':1}", 2, "the name of a field in double quotes, or `}`"),
        ("{\"a\"}", 5, "`:` and a value"),
        ("{\"a\":}", 6, "a JSON value"),
        ("{\"a\":NaN}", 6, "a JSON value"),
        ("{\"a\":True}", 6, "a JSON value"),
        ("{\"a\":+200}", 6, "a JSON value"),
        ("{\"a\":.5}", 6, "a JSON value"),
        ("{\"a\":0200}", 7, "`,` or `}`"),
        ("{\"a\":200.}", 10, "a digit"),
        ("{\"a\":1e}", 8, "a digit"),
        ("{\"a\":-}", 7, "a digit"),
        ("{\"a\":1 \"b\":2}", 8, "`,` or `}`"),
        ("{\"a\":[1 2]}", 9, "`,` or `]`"),
        ("{\"a\":[1,]}", 9, "a JSON value"),
        ("{\"a\":[{\"b\":1,}]}", 14, "the name of a field in double quotes"),
        ("{\"a\":[1}}", 8, "`,` or `]`"),
        ("{\"a\":{\"b\":1]}", 12, "`,` or `}`"),
        ("{\"a\":\"x", 8, "`\"` at the end of a string"),
        ("{\"a\":\"\t\"}", 7, "a control character to be escaped, such as `\\n` or `\\u0000`"),
        ("{\"a\":\"\\x\"}", 8, "one of `\"\\/bfnrtu` after the backslash"),
        ("{\"a\":\"\\u12g4\"}", 11, "four hexadecimal digits after `\\u`"),
        ("{\"a\":\"\\ud800\"}", 7, "a high and a low surrogate together"),
        ("{\"a\":\"\\ud800\\u0041\"}", 7, "a high and a low surrogate together"),
        ("{\"a\":\"\\udc00\"}", 7, "a high and a low surrogate together"),
        ("{\"a\":1}\u{feff}", 8, "the end of the line: a line holds one record"),
        ("\u{feff}{}", 1, "a JSON object, which begins with `{`"),
        ("\u{1e}{}", 1, "a JSON object, which begins with `{`"),
        ("\0", 1, "a JSON object, which begins with `{`"),
        ("\u{b}", 1, "a JSON object, which begins with `{`"),
    ] {
        let body = format!("{good}\n{{}}\n\n{bad}\nalso bad");
        assert_eq!(malformed(body.as_bytes()), (4, column, expected.to_owned()), "{bad:?}");
    }
}

#[test]
fn bytes_that_are_no_text_are_found() {
    assert_eq!(malformed(b"{\"a\":\"\xff\"}"), (1, 7, "text in UTF-8".to_owned()));
    assert_eq!(malformed(b"{\"a\":nil,\"b\":\"\xff\"}"), (1, 6, "a JSON value".to_owned()));
    assert_eq!(malformed(b"{}\n{\"a\":\"\xc3\""), (2, 7, "text in UTF-8".to_owned()));
    assert_eq!(malformed(b"\xff\xfe{\0}\0"), (1, 1, "text in UTF-8".to_owned()));
    assert_eq!(malformed(b"\xef\xbb\xbf{\"a\":nil}").1, 9);
}

#[test]
fn records_and_bytes_are_counted_up_to_their_limit() {
    let body = "{}\n".repeat(10);
    let rules = Rules { max_records: 10, max_raw_bytes: 30, ..rules() };
    assert_eq!(read_with(&rules, &[body.as_bytes()]).unwrap().0.received, 10);
    let fewer = Rules { max_records: 9, ..rules };
    let error = read_with(&fewer, &[body.as_bytes()]).unwrap_err();
    assert_eq!(error, "the batch has more than 9 records");
    assert_eq!(
        read_with(&rules, &["\n".repeat(31).as_bytes()]).unwrap_err(),
        "the body is larger than 30 bytes after decompression"
    );
    let shorter = Rules { max_raw_bytes: 29, ..rules };
    let error = read_with(&shorter, &[body.as_bytes()]).unwrap_err();
    assert_eq!(error, "the body is larger than 29 bytes after decompression");
}

#[test]
fn a_long_line_is_one_record_that_is_rejected() {
    let padded = record(&json!({ "request_path": format!("/{}", "x".repeat(5_000_000)) }));
    let body = format!("{padded}\n{}\n", record(&json!({})));
    for size in [body.len(), 65_536] {
        let chunks: Vec<&[u8]> = body.as_bytes().chunks(size).collect();
        let (counts, _) = read_with(&rules(), &chunks).unwrap();
        assert_eq!(counts, Counts { received: 2, accepted: 1, rejected: 1 });
    }
}

#[test]
fn a_line_is_bounded_however_it_comes() {
    let long = vec![b' '; 33 * 1024 * 1024];
    let whole = read(&long).unwrap_err();
    assert_eq!(
        whole,
        "line 1, column 33554433: expected the end of the line: a line has at most 32 MiB"
    );
    let chunks: Vec<&[u8]> = long.chunks(10_000_003).collect();
    assert_eq!(read_with(&rules(), &chunks).unwrap_err(), whole);
    let endless = Rules { max_raw_bytes: 34_000_000, ..rules() };
    let error = read_with(&endless, &chunks).unwrap_err();
    assert_eq!(error, "the body is larger than 34000000 bytes after decompression");
}

fn gzip(body: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn read_gzip(body: &[u8]) -> Result<Counts, BatchError> {
    read_batch(body, ContentCoding::Gzip, &rules(), &mut CollectedRecords::default())
}

#[test]
fn all_members_are_read() {
    let line = record(&json!({})) + "\n";
    let (first, second) = line.as_bytes().split_at(100);
    let members = [gzip(b"", 6), gzip(first, 0), gzip(second, 9), gzip(line.as_bytes(), 1)];
    assert_eq!(read_gzip(&members.concat()).unwrap().accepted, 2);
    assert!(matches!(read_gzip(&gzip(b"", 6)), Err(BatchError::Empty)));
}

#[test]
fn a_broken_stream_is_refused_wherever_it_breaks() {
    let good = gzip((record(&json!({})) + "\n").as_bytes(), 6);
    let broken = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut body = good.clone();
        change(&mut body);
        let error = read_gzip(&body).unwrap_err();
        assert!(matches!(error, BatchError::Coding(_)), "{error}");
    };
    for length in 0..good.len() {
        broken(&|body| body.truncate(length));
    }
    let end = good.len();
    for at in [0, 1, 2, end - 8, end - 4] {
        broken(&|body| body[at] ^= 1);
    }
    broken(&|body| body[3] |= 0x20);
    for behind in
        [&b"\0"[..], &[0; 512], b"x", b"{}\n", &vec![0; 70_000], &good[..12], &good[..end - 1]]
    {
        broken(&|body| body.extend_from_slice(behind));
    }
    broken(&|body| *body = record(&json!({})).into_bytes());
}

#[test]
fn a_bomb_is_stopped_at_the_limit() {
    let rules = Rules { max_raw_bytes: 1_000_000, ..rules() };
    let bomb = gzip(&vec![b'\n'; 50_000_000], 9);
    let error =
        read_batch(&bomb[..], ContentCoding::Gzip, &rules, &mut CollectedRecords::default());
    assert!(matches!(error, Err(BatchError::TooManyBytes { limit: 1_000_000 })));
}

#[test]
fn a_body_that_cannot_be_read_is_not_the_senders_fault() {
    struct Failing(Vec<u8>);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.0.is_empty() {
                return Err(std::io::Error::other("disk"));
            }
            let count = self.0.len().min(buffer.len());
            buffer[..count].copy_from_slice(&self.0.drain(..count).collect::<Vec<_>>());
            Ok(count)
        }
    }
    let body = gzip(record(&json!({})).as_bytes(), 6);
    for length in [0, 5, 40, body.len()] {
        for coding in [ContentCoding::Gzip, ContentCoding::Identity] {
            let body = Failing(body[..length].to_vec());
            let error =
                read_batch(body, coding, &rules(), &mut CollectedRecords::default()).unwrap_err();
            let is_read = matches!(error, BatchError::Read(_));
            assert!(is_read || coding == ContentCoding::Identity, "{length}: {error}");
            let code = Problem::from(&error).code();
            assert_eq!(is_read, code == ErrorCode::ServiceUnavailable);
        }
    }
}

#[test]
fn content_codings_are_gzip_and_identity() {
    for (value, expected) in [
        ("gzip", Some(ContentCoding::Gzip)),
        ("GZip", Some(ContentCoding::Gzip)),
        ("x-gzip", Some(ContentCoding::Gzip)),
        (" gzip\t", Some(ContentCoding::Gzip)),
        ("identity", Some(ContentCoding::Identity)),
        ("", Some(ContentCoding::Identity)),
        ("br", None),
        ("gzip, gzip", None),
        ("gzip, identity", None),
        ("gzip;q=1", None),
        ("deflate", None),
    ] {
        assert_eq!(value.parse().ok(), expected, "{value}");
    }
}

#[test]
fn a_refused_batch_says_where_and_never_what() {
    let body = b"{}\n{\"secret\":hunter2}";
    let error =
        read_batch(&body[..], ContentCoding::Identity, &rules(), &mut CollectedRecords::default());
    let object = Problem::from(&error.unwrap_err()).object(Lang::En);
    assert_eq!(object.code, ErrorCode::MalformedPayload);
    assert_eq!(
        Value::Object(object.details.clone()),
        json!({ "line": 2, "column": 11, "expected": "a JSON value" })
    );
    assert!(!serde_json::to_string(&object).unwrap().contains("hunter2"));
    for (error, code) in [
        (BatchError::Empty, ErrorCode::EmptyBatch),
        (BatchError::Coding(CodingError::Data), ErrorCode::MalformedPayload),
        (BatchError::TooManyBytes { limit: 9 }, ErrorCode::PayloadTooLarge),
        (BatchError::TooManyRecords { limit: 9 }, ErrorCode::PayloadTooLarge),
    ] {
        let object = Problem::from(&error).object(Lang::En);
        assert_eq!(object.code, code);
        assert!(object.hint.is_some());
        assert_eq!(object.details.contains_key("limit"), code == ErrorCode::PayloadTooLarge);
    }
}

/// Lines of every kind, most of them nearly right.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "d800",
        "dc00",
        "0",
        "-",
        "1",
        ".",
        "e5",
        "true",
        "null",
        " ",
        "\t",
        "\r",
        "host",
        "\"host\"",
        "\"a\":1",
        "\"x\":[",
        "\u{2028}",
        "ü",
        "\u{feff}",
        "\"\\ud83d\\ude00\"",
        "{}",
        "\"b\":{\"c\":",
    ]);
    let soup = prop::collection::vec(pieces, 0..20).prop_map(|pieces| pieces.concat().into_bytes());
    let good = record(&json!({}));
    let flipped = (0..good.len(), any::<u8>()).prop_map(move |(at, byte)| {
        let mut line = record(&json!({})).into_bytes();
        line[at] = byte;
        line
    });
    prop_oneof![
        3 => soup,
        3 => flipped,
        2 => Just(good.into_bytes()),
        1 => Just(Vec::new()),
        1 => prop::collection::vec(any::<u8>(), 0..30),
    ]
}

proptest! {
    #[test]
    fn the_grammar_is_that_of_serde_json(line in any_line()) {
        prop_assume!(!line.contains(&b'\n') && !line.starts_with(b"\xEF\xBB\xBF"));
        prop_assume!(!line.iter().all(|byte| b" \t\r".contains(byte)));
        let oracle: Result<Value, _> = serde_json::from_slice(&line);
        let ours = read(&line);
        let is_object = oracle.as_ref().is_ok_and(Value::is_object);
        // serde_json calls a number that no f64 holds a syntax error.
        let is_range = oracle.is_err_and(|error| error.to_string().contains("out of range"));
        prop_assert!(is_range || ours.is_ok() == is_object, "{:?}", ours);
    }

    #[test]
    fn a_batch_is_the_same_however_it_is_cut(
        lines in prop::collection::vec(any_line(), 0..6),
        ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\n\n"]), 6),
        cuts in prop::collection::vec(1..200_usize, 1..8),
        has_mark in any::<bool>(),
        max_records in 1..5_u64,
        max_raw_bytes in prop_oneof![Just(1_000_000_u64), 0..2_000_u64],
    ) {
        let mut body = if has_mark { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
        for (line, end) in lines.iter().zip(&ends) {
            body.extend_from_slice(line);
            body.extend_from_slice(end.as_bytes());
        }
        let rules = Rules { max_raw_bytes, max_records, ..rules() };
        let whole = read_with(&rules, &[&body]);
        let (mut rest, mut chunks) = (&body[..], Vec::new());
        for cut in cuts.iter().cycle() {
            let (chunk, more) = rest.split_at((*cut).min(rest.len()));
            chunks.push(chunk);
            rest = more;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(&read_with(&rules, &chunks), &whole);
        if let Ok((counts, kept)) = whole {
            prop_assert_eq!(counts.accepted + counts.rejected, counts.received);
            prop_assert_eq!(kept.accepted.len() as u64, counts.accepted);
            prop_assert_eq!(kept.rejected.len() as u64, counts.rejected);
            prop_assert!(kept.rejected.is_sorted_by_key(|rejection| rejection.0));
        }
    }
}

#[test]
fn the_answer_lists_what_was_rejected() {
    let mut body = String::new();
    for line in
        [record(&json!({})), record(&json!({ "x": 1 })), record(&json!({ "user_agent": "" }))]
    {
        writeln!(body, "{line}").unwrap();
    }
    let (counts, kept) = read(body.as_bytes()).unwrap();
    let mut answer = Vec::new();
    response::write_head(&mut answer, None, counts).unwrap();
    for (number, (line, reason, field)) in kept.rejected.iter().enumerate() {
        if number > 0 {
            answer.push(b',');
        }
        let rejection = Rejection { line: *line, reason: *reason, field: field.as_deref() };
        response::write_rejection(&mut answer, &rejection).unwrap();
    }
    response::write_tail(&mut answer, counts).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(
        answer,
        json!({
            "received": 3, "accepted": 1, "rejected": 2,
            "rejections": [
                { "line": 2, "reason": "field_not_allowed", "field": "x" },
                { "line": 3, "reason": "user_agent_not_in_allowlist" },
            ],
        })
    );
}
