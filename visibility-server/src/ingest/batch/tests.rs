use std::io::{Read, Seek, Write};

use chrono::{TimeZone, Utc};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use visibility_core::ingest::Reason;
use visibility_core::store::Ledger;

use super::*;

struct Service {
    stores: Stores,
    folder: tempfile::TempDir,
}

impl Service {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { stores: Stores::open_exclusive(&folder.path().join("data")).unwrap(), folder }
    }

    fn send(&self, request: &BatchRequest, body: &[u8]) -> Result<BatchResponse, IngestError> {
        let mut file = tempfile::tempfile_in(self.folder.path()).unwrap();
        file.write_all(body).unwrap();
        file.rewind().unwrap();
        ingest(request, file, &self.stores)
    }

    fn text(&self, answered: BatchResponse) -> String {
        let mut text = String::new();
        match answered.body {
            BodySource::Json(json) => text = String::from_utf8(json).unwrap(),
            BodySource::GzipObject(object) => {
                let gzip = self.stores.objects().read(&object.name).unwrap();
                GzDecoder::new(gzip.as_slice()).read_to_string(&mut text).unwrap();
            }
            BodySource::GzipFile(file) => {
                GzDecoder::new(file).read_to_string(&mut text).unwrap();
            }
        }
        text
    }

    fn objects(&self) -> Vec<String> {
        self.stores.objects().list_all().unwrap().into_iter().map(|object| object.name).collect()
    }

    fn spool_is_empty(&self) -> bool {
        std::fs::read_dir(self.stores.spool()).unwrap().next().is_none()
    }
}

fn request(mode: Mode, coding: ContentCoding) -> BatchRequest {
    let key = BatchKey { tenant: "acme".parse().unwrap(), batch_id: Uuid::now_v7() };
    let now = Utc.with_ymd_and_hms(2026, 11, 21, 12, 0, 0).unwrap();
    BatchRequest { key, coding, rules: Rules::at(now), mode }
}

fn line(change: impl FnOnce(&mut Value)) -> String {
    let mut record = json!({
        "timestamp": "2026-11-21T11:00:00Z",
        "user_agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
        "request_method": "GET", "request_path": "/products/1?page=2", "status_code": 200,
        "response_bytes": 10, "referrer": "", "host": "www.example.com",
        "client_ip_hash": "9f86d081884c7d659a2feaa0c55ad015",
    });
    change(&mut record);
    format!("{record}\n")
}

fn good() -> String {
    line(|_| ())
}

fn refused() -> String {
    line(|record| record["cookie"] = json!("x"))
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_batch_is_answered_and_its_file_published() {
    let service = Service::new();
    let request = request(Mode::Ingest, ContentCoding::Identity);
    let answered = service.send(&request, (good() + &good()).as_bytes()).unwrap();
    assert_eq!(answered.counts, Counts { received: 2, accepted: 2, rejected: 0 }, "{answered:?}");
    assert!(!answered.is_replay);
    let id = request.key.batch_id;
    assert_eq!(
        service.text(answered),
        format!("{{\"batch_id\":\"{id}\",\"received\":2,\"accepted\":2,\"rejected\":0}}")
    );
    let objects = service.objects();
    assert_eq!(objects.len(), 2, "{objects:?}");
    assert!(objects.iter().all(|name| name.starts_with("tenant=acme/new/")), "{objects:?}");
    assert!(service.stores.state_store().unnamed(&objects).unwrap().is_empty());
}

#[test]
fn a_replay_gets_the_first_answer_whatever_it_brings() {
    let service = Service::new();
    let request = request(Mode::Ingest, ContentCoding::Identity);
    let first = service.send(&request, (good() + &refused()).as_bytes()).unwrap();
    let objects = service.objects();
    let again = service.send(&request, (good() + &good()).as_bytes()).unwrap();
    assert!(again.is_replay);
    assert_eq!(again.counts, first.counts);
    assert_eq!(service.text(again), service.text(first));
    assert_eq!(service.objects(), objects);
}

#[test]
fn an_object_of_a_replay_that_stays_behind_does_not_make_the_database_look_old() {
    let service = Service::new();
    let request = request(Mode::Ingest, ContentCoding::Identity);
    let last_published = || {
        let path = service.stores.data_dir().join("last-published");
        std::fs::read_to_string(path).unwrap().trim_end().to_owned()
    };
    assert!(!service.send(&request, good().as_bytes()).unwrap().is_replay);
    assert!(service.objects().contains(&last_published()));
    assert!(service.send(&request, good().as_bytes()).unwrap().is_replay);
    assert!(service.objects().contains(&last_published()));
}

#[test]
fn many_rejections_become_an_object_with_all_of_them() {
    let service = Service::new();
    let request = request(Mode::Ingest, ContentCoding::Gzip);
    let body = gzip(&(good() + &refused().repeat(2000)));
    let first = service.send(&request, &body).unwrap();
    assert_eq!(first.reasons, [(Reason::FieldNotAllowed, 2000)].into());
    assert!(matches!(first.body, BodySource::GzipObject(_)));
    let text = service.text(first);
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["rejections"].as_array().unwrap().len(), 2000);
    let last = json!({ "line": 2001, "reason": Reason::FieldNotAllowed, "field": "cookie" });
    assert_eq!(answer["rejections"][1999], last);
    let stored = service.stores.state_store().response(&request.key).unwrap().unwrap();
    assert_eq!(service.text(stored.into()), text);
    assert!(service.spool_is_empty());
}

#[test]
fn a_batch_without_an_accepted_record_has_an_answer_and_no_file() {
    let service = Service::new();
    let request = request(Mode::Ingest, ContentCoding::Identity);
    let answered = service.send(&request, refused().as_bytes()).unwrap();
    assert_eq!(answered.counts, Counts { received: 1, accepted: 0, rejected: 1 });
    assert!(service.objects().is_empty());
    assert!(service.stores.state_store().response(&request.key).unwrap().is_some());
}

#[test]
fn a_refused_batch_leaves_nothing() {
    let service = Service::new();
    let request = request(Mode::Ingest, ContentCoding::Gzip);
    let long = (good() + &refused()).repeat(3000);
    let mut cut = gzip(&long);
    cut.truncate(cut.len() - 1);
    for body in [gzip(&(long.clone() + "[]")), cut, gzip("\n\n"), b"no gzip".to_vec()] {
        let error = service.send(&request, &body).unwrap_err();
        assert!(matches!(error, IngestError::Batch(_)), "{error:?}");
        assert!(service.objects().is_empty());
        assert!(service.spool_is_empty());
        assert_eq!(service.stores.state_store().response(&request.key).unwrap(), None);
    }
    // The id is free for the corrected body.
    assert!(!service.send(&request, &gzip(&long)).unwrap().is_replay);
}

#[test]
fn a_rehearsal_answers_the_same_and_keeps_nothing() {
    let service = Service::new();
    for rejections in [1, 2000] {
        let body = gzip(&(good() + &refused().repeat(rejections)));
        let mut request = request(Mode::Test, ContentCoding::Gzip);
        let rehearsed = service.send(&request, &body).unwrap();
        assert!(service.objects().is_empty());
        assert!(service.spool_is_empty());
        assert_eq!(service.stores.state_store().response(&request.key).unwrap(), None);
        request.mode = Mode::Ingest;
        request.key.tenant = format!("other-{rejections}").parse().unwrap();
        let kept = service.send(&request, &body).unwrap();
        assert!(!kept.is_replay);
        assert_eq!(service.text(rehearsed), service.text(kept));
        for object in service.objects() {
            service.stores.objects().delete(&object).unwrap();
        }
    }
}

#[test]
fn a_long_batch_is_counted_line_by_line() {
    let service = Service::new();
    let request = request(Mode::Ingest, ContentCoding::Identity);
    let body = (0..3000)
        .map(|number| match number % 3 {
            0 => refused(),
            _ => line(|record| record["request_path"] = json!(format!("/p/{number}"))),
        })
        .collect::<String>();
    let answered = service.send(&request, body.as_bytes()).unwrap();
    assert_eq!(answered.counts, Counts { received: 3000, accepted: 2000, rejected: 1000 });
}
