//! A name server of the tests' own.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// Bytes of the head of a message: RFC 1035 section 4.1.1.
const HEAD: usize = 12;
const TYPE_A: u8 = 1;
/// RFC 3596 section 2.1.
const TYPE_AAAA: u8 = 28;

/// What is answered to a question for the address of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    Address(Ipv4Addr),
    /// All of these, each to the question for its kind.
    Addresses(&'static [IpAddr]),
    /// The address, and nothing at all to a question for other kinds.
    OnlyAddress(Ipv4Addr),
    NoSuchName,
    Silence,
}

/// A name server that answers until it is dropped.
pub(crate) struct NameServer {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    answering: JoinHandle<()>,
}

impl NameServer {
    /// A server that answers the questions for the addresses of a name; the number says how often the name
    /// was asked for before, for IPv4 addresses.
    pub(crate) async fn start(reply: impl Fn(&str, usize) -> Reply + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&asked);
        let answering = tokio::spawn(async move {
            let mut question = [0; 512];
            while let Ok((length, peer)) = socket.recv_from(&mut question).await {
                let (name, end) = name(&question[..length]);
                let kind = question[end + 1];
                let reply = {
                    let mut asked = kept.lock().unwrap();
                    let before = asked.iter().filter(|asked| **asked == name).count();
                    let reply = reply(&name, before);
                    if kind == TYPE_A {
                        asked.push(name);
                    }
                    reply
                };
                if let Some(answer) = answer(&question[..end + 4], reply, kind) {
                    socket.send_to(&answer, peer).await.unwrap();
                }
            }
        });
        Self { address, asked, answering }
    }

    /// The names that were asked for, in this order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.answering.abort();
    }
}

/// The name of the one question, and the offset of its type.
fn name(message: &[u8]) -> (String, usize) {
    let mut labels = Vec::new();
    let mut at = HEAD;
    while message[at] != 0 {
        let length = usize::from(message[at]);
        let label = &message[at + 1..=at + length];
        labels.push(String::from_utf8_lossy(label).to_ascii_lowercase());
        at += length + 1;
    }
    (labels.join("."), at + 1)
}

/// The answer to a question for one kind of address, which is repeated in it: RFC 1035 section 4.1.
fn answer(question: &[u8], reply: Reply, kind: u8) -> Option<Vec<u8>> {
    let (code, addresses) = match reply {
        Reply::Address(address) => (0, vec![IpAddr::V4(address)]),
        Reply::Addresses(addresses) => (0, addresses.to_vec()),
        Reply::NoSuchName => (3, Vec::new()),
        Reply::OnlyAddress(address) if kind == TYPE_A => (0, vec![IpAddr::V4(address)]),
        Reply::OnlyAddress(_) | Reply::Silence => return None,
    };
    let bytes = addresses.into_iter().filter_map(|address| match address {
        IpAddr::V4(address) => (kind == TYPE_A).then(|| address.octets().to_vec()),
        IpAddr::V6(address) => (kind == TYPE_AAAA).then(|| address.octets().to_vec()),
    });
    let bytes: Vec<Vec<u8>> = bytes.collect();
    let count = u8::try_from(bytes.len()).unwrap();
    let mut answer = question[..2].to_vec();
    answer.extend([0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0]);
    answer.extend(&question[HEAD..]);
    for address in bytes {
        // The name of the question, the type, class IN, a minute, so many bytes.
        let length = u8::try_from(address.len()).unwrap();
        answer.extend([0xc0, 0x0c, 0, kind, 0, 1, 0, 0, 0, 60, 0, length]);
        answer.extend(address);
    }
    Some(answer)
}
