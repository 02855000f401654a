//! Clients that send until they have an answer, and sometimes hang up.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use visibility_tests::random::Random;
use visibility_tests::wait::PATIENCE;

use crate::crash::batches::{Answer, Batch};

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(5);
/// After a refusal. `Retry-After` says seconds, which a test has no time for.
const PAUSE_AFTER_REFUSAL: Duration = Duration::from_millis(50);

/// Something to send.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    batch: Arc<Batch>,
    kind: Kind,
    /// The node that is asked first, as far as there are so many.
    first_node: usize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    First,
    Duplicate,
    Replay,
}

impl Task {
    /// Sends a batch so many times at once, to one node after the other.
    pub(crate) fn send(batch: &Arc<Batch>, copies: usize) -> impl Iterator<Item = Self> + use<> {
        let batch = Arc::clone(batch);
        (0..copies).map(move |copy| Self {
            batch: Arc::clone(&batch),
            kind: if copy == 0 { Kind::First } else { Kind::Duplicate },
            first_node: copy,
        })
    }

    /// Sends a batch that was answered before.
    pub(crate) fn replay(batch: Arc<Batch>) -> Self {
        let first_node = batch.body.len();
        Self { batch, kind: Kind::Replay, first_node }
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

/// Where the nodes are, for as long as they are anywhere.
#[derive(Debug)]
struct Addresses {
    of_nodes: Mutex<Vec<Option<SocketAddr>>>,
    changed: Condvar,
}

impl Addresses {
    /// The address of this node, or else of any: what a balancer does.
    fn wait(&self, node: usize) -> SocketAddr {
        let mut addresses = self.of_nodes.lock().expect("no thread panics with it");
        loop {
            let (before, from) = addresses.split_at(node % addresses.len());
            if let Some(address) = from.iter().chain(before).flatten().next() {
                return *address;
            }
            addresses = self.changed.wait(addresses).expect("no thread panics with it");
        }
    }
}

/// Clients at work.
#[derive(Debug)]
pub(crate) struct Clients {
    addresses: Arc<Addresses>,
    left: Arc<AtomicUsize>,
    has_failed: Arc<AtomicBool>,
    threads: Vec<JoinHandle<Tally>>,
}

/// Notes that a thread panics.
struct Alarm(Arc<AtomicBool>);

impl Drop for Alarm {
    fn drop(&mut self) {
        self.0.fetch_or(thread::panicking(), Ordering::SeqCst);
    }
}

/// Starts clients of some nodes that share tasks: copies of a batch are sent at the same time.
pub(crate) fn start(count: usize, nodes: usize, tasks: Vec<Task>, random: &mut Random) -> Clients {
    let of_nodes = Mutex::new(vec![None; nodes]);
    let addresses = Arc::new(Addresses { of_nodes, changed: Condvar::new() });
    let left = Arc::new(AtomicUsize::new(tasks.len()));
    let has_failed = Arc::new(AtomicBool::new(false));
    let tasks = Arc::new(Mutex::new(tasks));
    let threads = (0..count)
        .map(|_| {
            let addresses = Arc::clone(&addresses);
            let (left, tasks) = (Arc::clone(&left), Arc::clone(&tasks));
            let alarm = Alarm(Arc::clone(&has_failed));
            let mut random = Random::new(random.number());
            thread::spawn(move || {
                let _alarm = alarm;
                let mut tally = Tally::default();
                loop {
                    let task = tasks.lock().expect("no thread panics with it").pop();
                    let Some(task) = task else { return tally };
                    finish(&task, &addresses, &mut tally, &mut random);
                    left.fetch_sub(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    Clients { addresses, left, has_failed, threads }
}

impl Clients {
    /// Says where a node is.
    pub(crate) fn point_to(&self, node: usize, address: Option<SocketAddr>) {
        let mut addresses = self.addresses.of_nodes.lock().expect("no thread panics with it");
        addresses[node] = address;
        self.addresses.changed.notify_all();
    }

    /// Whether everything has been answered.
    ///
    /// # Panics
    ///
    /// When a client got an answer that is not right.
    pub(crate) fn are_done(&self) -> bool {
        assert!(!self.has_failed.load(Ordering::SeqCst), "an answer is not right, see above");
        self.left.load(Ordering::SeqCst) == 0
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
fn finish(task: &Task, addresses: &Addresses, tally: &mut Tally, random: &mut Random) {
    match task.kind {
        Kind::First => {}
        Kind::Duplicate => tally.duplicates += 1,
        Kind::Replay => tally.replays += 1,
    }
    for attempt in 0.. {
        let address = addresses.wait(task.first_node + attempt);
        tally.requests += 1;
        if random.below(8) == 0 {
            tally.cut += 1;
            // It may be cut by the end of the service, too.
            let _ = cut(&task.batch, address, random);
        }
        match send(&task.batch, address) {
            Ok(Reply { answer, .. }) if matches!(answer.status, 202 | 207) => {
                return task.batch.take(&answer);
            }
            Ok(Reply { answer, is_worth_repeating: true }) if answer.status == 503 => {
                tally.refused += 1;
                thread::sleep(PAUSE_AFTER_REFUSAL);
            }
            Ok(Reply { answer, .. }) => panic!("{}: {answer:?}", task.batch.id),
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
        batch.token,
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

fn send(batch: &Batch, address: SocketAddr) -> io::Result<Reply> {
    let mut stream = connect(address)?;
    stream.write_all(&request(batch))?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    parse(&bytes).ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))
}

/// The answer to a GET.
pub(crate) fn get(address: SocketAddr, path: &str) -> io::Result<Answer> {
    let mut stream = connect(address)?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: ingest.test\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let reply = parse(&bytes).ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?;
    Ok(reply.answer)
}

/// An answer that arrived whole.
#[derive(Debug)]
struct Reply {
    answer: Answer,
    /// Whether it has `Retry-After`.
    is_worth_repeating: bool,
}

fn parse(bytes: &[u8]) -> Option<Reply> {
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
    let is_worth_repeating = header("retry-after").is_some();
    Some(Reply { answer: Answer { status, body }, is_worth_repeating })
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
