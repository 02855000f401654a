//! A name server of the tests' own.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::net::UdpSocket;
use tokio::task::JoinHandle;

/// Octets of the head of a message: RFC 1035 section 4.1.1.
const HEAD: usize = 12;
const TYPE_A: u8 = 1;

/// What is answered to a question for the address of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reply {
    Address(Ipv4Addr),
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
    /// A server that answers the questions for the IPv4 address of a name; the number says how often
    /// the name was asked for before. Names have no other addresses.
    pub(crate) async fn start(reply: impl Fn(&str, usize) -> Reply + Send + 'static) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&asked);
        let answering = tokio::spawn(async move {
            let mut question = [0; 512];
            while let Ok((length, peer)) = socket.recv_from(&mut question).await {
                let (name, end) = name(&question[..length]);
                let is_address = question[end + 1] == TYPE_A;
                let reply = {
                    let mut asked = kept.lock().unwrap();
                    let before = asked.iter().filter(|asked| **asked == name).count();
                    let reply = reply(&name, before);
                    if is_address {
                        asked.push(name);
                    }
                    reply
                };
                if let Some(answer) = answer(&question[..end + 4], reply, is_address) {
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

/// The name of the one question, and where its type stands.
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

/// The answer to a question, which is repeated in it: RFC 1035 section 4.1.
fn answer(question: &[u8], reply: Reply, is_address: bool) -> Option<Vec<u8>> {
    let (code, address) = match reply {
        Reply::Address(address) => (0, is_address.then_some(address)),
        Reply::NoSuchName => (3, None),
        Reply::OnlyAddress(address) if is_address => (0, Some(address)),
        Reply::OnlyAddress(_) | Reply::Silence => return None,
    };
    let mut answer = question[..2].to_vec();
    answer.extend([0x81, 0x80 | code, 0, 1, 0, u8::from(address.is_some()), 0, 0, 0, 0]);
    answer.extend(&question[HEAD..]);
    if let Some(address) = address {
        // The name of the question, type A, class IN, a minute, four octets.
        answer.extend([0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4]);
        answer.extend(address.octets());
    }
    Some(answer)
}
