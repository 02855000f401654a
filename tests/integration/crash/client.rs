//! Clients that send until they have an answer, and sometimes hang up.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use visibility_tests::random::Random;
use visibility_tests::wait::PATIENCE;

use crate::crash::batches::{Answer, Batch};
use crate::crash::service::token_of;

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Something to send.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    batch: Arc<Batch>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    First,
    Duplicate,
    Replay,
}

impl Task {
    /// Sends a batch, perhaps beside others that send the same.
    pub(crate) fn send(batch: Arc<Batch>, is_duplicate: bool) -> Self {
        Self { batch, kind: if is_duplicate { Kind::Duplicate } else { Kind::First } }
    }

    /// Sends a batch that was answered before.
    pub(crate) fn replay(batch: Arc<Batch>) -> Self {
        Self { batch, kind: Kind::Replay }
    }
}

/// What clients did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) requests: usize,
    pub(crate) duplicates: usize,
    pub(crate) replays: usize,
    pub(crate) cut: usize,
    pub(crate) unanswered: usize,
    pub(crate) refused: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.duplicates += other.duplicates;
        self.replays += other.replays;
        self.cut += other.cut;
        self.unanswered += other.unanswered;
        self.refused += other.refused;
    }
}

/// Where the service is, for as long as it is anywhere.
#[derive(Debug, Default)]
struct Place {
    address: Mutex<Option<SocketAddr>>,
    changed: Condvar,
}

impl Place {
    fn wait(&self) -> SocketAddr {
        let mut address = self.address.lock().expect("no thread panics with it");
        loop {
            match *address {
                Some(address) => return address,
                None => address = self.changed.wait(address).expect("no thread panics with it"),
            }
        }
    }
}

/// Clients at work.
#[derive(Debug)]
pub(crate) struct Clients {
    place: Arc<Place>,
    left: Arc<AtomicUsize>,
    threads: Vec<JoinHandle<Tally>>,
}

/// Starts clients that share tasks: copies of a batch are sent at the same time.
pub(crate) fn start(count: usize, tasks: Vec<Task>, random: &mut Random) -> Clients {
    let place = Arc::new(Place::default());
    let left = Arc::new(AtomicUsize::new(tasks.len()));
    let tasks = Arc::new(Mutex::new(tasks));
    let threads = (0..count)
        .map(|_| {
            let (place, left, tasks) = (Arc::clone(&place), Arc::clone(&left), Arc::clone(&tasks));
            let mut random = Random::new(random.number());
            thread::spawn(move || {
                let mut tally = Tally::default();
                loop {
                    let task = tasks.lock().expect("no thread panics with it").pop();
                    let Some(task) = task else { return tally };
                    finish(&task, &place, &mut tally, &mut random);
                    left.fetch_sub(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    Clients { place, left, threads }
}

impl Clients {
    /// Says where the service is.
    pub(crate) fn point_to(&self, address: Option<SocketAddr>) {
        *self.place.address.lock().expect("no thread panics with it") = address;
        self.place.changed.notify_all();
    }

    /// Whether everything has been answered.
    pub(crate) fn are_done(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0 || self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Waits until everything has been answered.
    pub(crate) fn finish(self) -> Tally {
        let mut all = Tally::default();
        for thread in self.threads {
            all.add(&thread.join().expect("answers are right"));
        }
        all
    }
}

/// Sends until there is an answer that counts.
fn finish(task: &Task, place: &Place, tally: &mut Tally, random: &mut Random) {
    match task.kind {
        Kind::First => {}
        Kind::Duplicate => tally.duplicates += 1,
        Kind::Replay => tally.replays += 1,
    }
    loop {
        let address = place.wait();
        tally.requests += 1;
        if random.below(8) == 0 {
            tally.cut += 1;
            // It may be cut by the end of the service, too.
            let _ = cut(&task.batch, address, random);
        }
        match send(&task.batch, address) {
            Ok(answer) if matches!(answer.status, 202 | 207) => {
                return task.batch.take(&answer);
            }
            Ok(answer) if answer.status >= 500 => tally.refused += 1,
            Ok(answer) => panic!("{}: {answer:?}", task.batch.id),
            Err(_) => tally.unanswered += 1,
        }
        thread::sleep(PAUSE);
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn request(batch: &Batch) -> Vec<u8> {
    let mut request = format!(
        "POST /v1/logs HTTP/1.1\r\nhost: ingest.test\r\nconnection: close\r\n\
         authorization: Bearer {}\r\ncontent-type: application/x-ndjson\r\n\
         x-service-tenant: {}\r\nx-service-schema: 1\r\nx-service-batch-id: {}\r\n\
         content-length: {}\r\n\r\n",
        token_of(batch.tenant),
        batch.tenant,
        batch.id,
        batch.body.len()
    )
    .into_bytes();
    request.extend(&batch.body);
    request
}

/// Sends a part of a request and hangs up.
fn cut(batch: &Batch, address: SocketAddr, random: &mut Random) -> io::Result<()> {
    let request = request(batch);
    let mut stream = connect(address)?;
    stream.write_all(request.get(..random.index(request.len())).unwrap_or_default())?;
    stream.shutdown(Shutdown::Both)
}

fn send(batch: &Batch, address: SocketAddr) -> io::Result<Answer> {
    let mut stream = connect(address)?;
    stream.write_all(&request(batch))?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    parse(&bytes).ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))
}

/// An answer that arrived whole.
fn parse(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, body) = (str::from_utf8(bytes.get(..end)?).ok()?, bytes.get(end + 4..)?);
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let header = |name: &str| {
        let mut fields = head.lines().skip(1).filter_map(|line| line.split_once(':'));
        fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    };
    let body = match header("content-length") {
        Some(length) => {
            let length: usize = length.parse().ok()?;
            (body.len() == length).then(|| body.to_vec())?
        }
        None => dechunk(body)?,
    };
    Some(Answer { status, body })
}

fn dechunk(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|window| window == b"\r\n")?;
        let size = usize::from_str_radix(str::from_utf8(bytes.get(..end)?).ok()?, 16).ok()?;
        if size == 0 {
            return Some(body);
        }
        body.extend(bytes.get(end + 2..end + 2 + size)?);
        bytes = bytes.get(end + 2 + size + 2..)?;
    }
}
