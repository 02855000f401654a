//! Logs of AI agents as a brand's site writes them: made up, the same for the same seed, and with a
//! truth to compare with.
//!
//! Agents come in sessions from one address and ask for a few paths often and for many seldom. A small
//! part of the records is bad, and each bad one breaks exactly one rule, so that the truth does not
//! depend on the order of the rules.

mod brand;

use std::collections::BTreeMap;
use std::io::{self, Write};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use self::brand::Brand;
use crate::random::Random;

/// Time that a log covers, up to shortly before its `now`.
const SPAN: TimeDelta = TimeDelta::hours(20);
/// Of a thousand records, how many break a rule; without those whose path is too long.
const BAD_PER_MILLE: u32 = 36;

/// What is made.
#[derive(Clone, Copy, Debug)]
pub struct LogPlan {
    /// Records, which is also the number of lines.
    pub records: u64,
    /// Another seed is another log.
    pub seed: u64,
    /// The time at which the log is judged.
    pub now: DateTime<Utc>,
    /// Bad records in it.
    pub bad: Bad,
}

/// How many records are bad.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Bad {
    /// None.
    None,
    /// About 36 of a thousand, all rules among them.
    Some,
    /// All.
    All,
}

/// What a validator has to find.
#[derive(Clone, Debug, Default, Eq, PartialEq, Serialize)]
pub struct Truth {
    /// Number of records.
    pub received: u64,
    /// Those that keep all rules.
    pub accepted: u64,
    /// Those that break one.
    pub rejected: u64,
    /// The latter by reason.
    pub reasons: BTreeMap<&'static str, u64>,
    /// And one by one.
    #[serde(skip)]
    pub rejections: Vec<TrueRejection>,
}

/// A record that must be rejected.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TrueRejection {
    /// Its line, from 1.
    pub line: u64,
    /// The rule that it breaks.
    pub reason: &'static str,
    /// The field that breaks it.
    pub field: Option<&'static str>,
}

/// The rules that bad records break, each with its weight.
const KINDS: [(u32, &str); 8] = [
    (5, "field_not_allowed"),
    (5, "missing_required_field"),
    (5, "invalid_field"),
    (5, "user_agent_not_in_allowlist"),
    (5, "timestamp_too_old"),
    (5, "timestamp_in_future"),
    (1, "request_path_too_long"),
    (5, "query_parameter_denied"),
];

const OTHER_FIELDS: [&str; 4] = ["client_ip", "cookie", "authorization", "x_forwarded_for"];
const DENIED: [&str; 7] =
    ["email", "token", "access_token", "session_id", "password", "phone", "api_key"];

/// One record: the fields in the order in which they are written.
type Record = Vec<(&'static str, Value)>;

/// Writes a log and says what is in it.
///
/// # Errors
///
/// When the output cannot be written.
pub fn write_log(plan: &LogPlan, output: &mut impl Write) -> io::Result<Truth> {
    let mut random = Random::new(plan.seed);
    let brand = Brand::new(&mut random, plan.records);
    let mut sessions: Vec<Session> = (0..48).map(|_| Session::new(&brand, &mut random)).collect();
    let mut truth = Truth { received: plan.records, ..Truth::default() };
    let step = SPAN.num_microseconds().unwrap_or_default() * 98
        / 100
        / i64::try_from(plan.records.max(1)).unwrap_or(i64::MAX);
    let mut next = plan.now - SPAN;
    let mut line = Vec::new();
    for number in 1..=plan.records {
        let time = next + TimeDelta::microseconds(random.up_to(step));
        next += TimeDelta::microseconds(step);
        let session = random.pick_mut(&mut sessions);
        if session.is_over() {
            *session = Session::new(&brand, &mut random);
        }
        let mut record = good(&brand, session, time, &mut random);
        let is_bad = match plan.bad {
            Bad::None => false,
            Bad::Some => random.below(1000) < BAD_PER_MILLE,
            Bad::All => true,
        };
        if is_bad {
            let (reason, field) = spoil(&mut record, plan.now, &mut random);
            *truth.reasons.entry(reason).or_default() += 1;
            truth.rejected += 1;
            truth.rejections.push(TrueRejection { line: number, reason, field });
        } else {
            truth.accepted += 1;
        }
        line.clear();
        write_record(&record, &mut line)?;
        output.write_all(&line)?;
    }
    Ok(truth)
}

/// A log in memory, with its truth.
///
/// # Panics
///
/// Never: memory can be written.
pub fn log(plan: &LogPlan) -> (Vec<u8>, Truth) {
    let mut bytes = Vec::new();
    let truth = write_log(plan, &mut bytes).expect("memory can be written");
    (bytes, truth)
}

fn write_record(record: &Record, line: &mut Vec<u8>) -> io::Result<()> {
    line.push(b'{');
    for (index, (name, value)) in record.iter().enumerate() {
        let gap = if index == 0 { "" } else { "," };
        write!(line, "{gap}\"{name}\":")?;
        serde_json::to_writer(&mut *line, value)?;
    }
    line.extend(b"}\n");
    Ok(())
}

/// A crawler at work from one address.
#[derive(Clone, Debug)]
struct Session {
    user_agent: &'static str,
    host: &'static str,
    address_hash: String,
    left: u32,
}

impl Session {
    fn new(brand: &Brand, random: &mut Random) -> Self {
        Self {
            user_agent: random.weighted(&brand::USER_AGENTS),
            host: random.weighted(&brand::HOSTS),
            address_hash: brand.address_hash(random).to_owned(),
            left: 3 + random.below(38),
        }
    }

    /// Counts a request.
    fn is_over(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left == 0
    }
}

/// A record that keeps all rules.
fn good(brand: &Brand, session: &Session, time: DateTime<Utc>, random: &mut Random) -> Record {
    let page = brand.page(random);
    let status = random.weighted(&brand::STATUSES);
    let bytes = match status {
        200 => page.bytes + random.below(256),
        304 => 0,
        _ => 512,
    };
    let method = if random.below(100) < 97 { "GET" } else { "HEAD" };
    let referrer = match random.below(100) {
        0..85 => String::new(),
        85..96 => (*random.pick(&brand::REFERRERS)).to_owned(),
        _ => format!("{}{}", random.pick(&brand::REFERRERS), page.path.trim_start_matches('/')),
    };
    vec![
        ("timestamp", json!(time.to_rfc3339_opts(SecondsFormat::Millis, true))),
        ("user_agent", json!(session.user_agent)),
        ("request_method", json!(method)),
        ("request_path", json!(page.path)),
        ("status_code", json!(status)),
        ("response_bytes", json!(bytes)),
        ("referrer", json!(referrer)),
        ("host", json!(session.host)),
        ("client_ip_hash", json!(session.address_hash)),
    ]
}

/// Makes a record break one rule, and says which and by what field.
fn spoil(
    record: &mut Record,
    now: DateTime<Utc>,
    random: &mut Random,
) -> (&'static str, Option<&'static str>) {
    let reason = random.weighted(&KINDS);
    let seconds = |time: DateTime<Utc>| json!(time.to_rfc3339_opts(SecondsFormat::Secs, true));
    let path = text(record, "request_path").to_owned();
    let field = match reason {
        "field_not_allowed" => {
            let name = *random.pick(&OTHER_FIELDS);
            record.push((name, json!(format!("203.0.113.{}", random.below(256)))));
            return (reason, Some(name));
        }
        "missing_required_field" => {
            let (name, _) = record.remove(random.index(record.len()));
            return (reason, Some(name));
        }
        "user_agent_not_in_allowlist" => {
            set(record, "user_agent", &json!(*random.pick(&brand::OTHER_USER_AGENTS)));
            return (reason, None);
        }
        "invalid_field" => {
            let (name, value) = match random.below(4) {
                0 => ("status_code", json!("200")),
                1 => ("response_bytes", json!(-1)),
                2 => ("timestamp", json!("20/Nov/2026:22:10:01 +0000")),
                _ => ("host", Value::Null),
            };
            set(record, name, &value);
            name
        }
        "timestamp_too_old" => {
            let age = TimeDelta::days(91) + TimeDelta::seconds(random.up_to(300 * 86_400));
            set(record, "timestamp", &seconds(now - age));
            "timestamp"
        }
        "timestamp_in_future" => {
            let ahead = TimeDelta::hours(2) + TimeDelta::seconds(random.up_to(500 * 3_600));
            set(record, "timestamp", &seconds(now + ahead));
            "timestamp"
        }
        "request_path_too_long" => {
            let mut long = path;
            while long.len() <= 8_192 {
                long.push_str(&format!("/{}", brand::slug(random)));
            }
            set(record, "request_path", &json!(long));
            "request_path"
        }
        _ => {
            let (gap, name) = (if path.contains('?') { '&' } else { '?' }, random.pick(&DENIED));
            let value = random.below(1_000_000);
            let denied = format!("{path}{gap}{name}=u{value}%40example.com");
            set(record, "request_path", &json!(denied));
            "request_path"
        }
    };
    (reason, Some(field))
}

fn text<'a>(record: &'a Record, name: &str) -> &'a str {
    let found = record.iter().find(|(field, _)| *field == name);
    found.and_then(|(_, value)| value.as_str()).unwrap_or_default()
}

fn set(record: &mut Record, name: &str, value: &Value) {
    for (_, old) in record.iter_mut().filter(|(field, _)| *field == name) {
        *old = value.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(seed: u64, bad: Bad) -> LogPlan {
        let now = DateTime::from_timestamp(1_790_000_000, 0).unwrap();
        LogPlan { records: 3_000, seed, now, bad }
    }

    #[test]
    fn a_seed_is_a_log() {
        let one = log(&plan(1, Bad::Some));
        assert_eq!(one, log(&plan(1, Bad::Some)));
        assert_ne!(one.0, log(&plan(2, Bad::Some)).0);
    }

    #[test]
    fn the_counts_of_a_truth_add_up() {
        for (bad, least, most) in [(Bad::None, 0, 0), (Bad::Some, 50, 200), (Bad::All, 3000, 3000)]
        {
            let (bytes, truth) = log(&plan(7, bad));
            assert_eq!(bytes.split(|byte| *byte == b'\n').count(), 3_001);
            assert_eq!(truth.accepted + truth.rejected, truth.received);
            assert_eq!(truth.reasons.values().sum::<u64>(), truth.rejected);
            assert_eq!(truth.rejections.len() as u64, truth.rejected);
            assert!((least..=most).contains(&truth.rejected), "{bad:?}: {}", truth.rejected);
        }
        assert_eq!(log(&plan(7, Bad::All)).1.reasons.len(), KINDS.len());
    }

    #[test]
    fn a_good_record_has_the_nine_fields_and_goes_forward_in_time() {
        let (bytes, _) = log(&plan(3, Bad::None));
        let mut last = String::new();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let record: serde_json::Map<String, Value> = serde_json::from_slice(line).unwrap();
            assert_eq!(record.len(), 9);
            let time = record["timestamp"].as_str().unwrap().to_owned();
            assert!(last <= time, "{last} {time}");
            last = time;
        }
        assert!(last.parse::<DateTime<Utc>>().unwrap() < plan(3, Bad::None).now);
    }
}
