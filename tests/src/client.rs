//! A client that sends exactly the given bytes.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "an answer that makes no sense should stop the test"
)]

use std::io::Read;
use std::net::SocketAddr;

use flate2::read::MultiGzDecoder;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::wait::PATIENCE;

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// As sent.
    pub bytes: Vec<u8>,
}

impl Reply {
    /// The value of a header, the first if there are more.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body without its coding.
    pub fn body(&self) -> Vec<u8> {
        if self.header("content-encoding") != Some("gzip") {
            return self.bytes.clone();
        }
        let mut body = Vec::new();
        MultiGzDecoder::new(&*self.bytes).read_to_end(&mut body).unwrap();
        body
    }

    /// The body, which is JSON.
    pub fn json(&self) -> Value {
        let body = self.body();
        serde_json::from_slice(&body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&body)))
    }

    /// The code of an error object; every response but success has one.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }
}

/// A request that is not sent yet.
#[derive(Clone, Debug)]
pub struct Message {
    /// The HTTP method.
    pub method: String,
    /// The request target.
    pub path: String,
    /// Its headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Message {
    /// A request without headers and body.
    pub fn new(method: &str, path: &str) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), headers: vec![], body: vec![] }
    }

    /// Sets a header, whatever stood there.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.and(name, value)
    }

    /// Adds a header.
    #[must_use]
    pub fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Takes a header away.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// The head with a host, and with a length unless the framing is said otherwise.
    pub fn head(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        let is_set = |name: &str| self.headers.iter().any(|(known, _)| known == name);
        if !is_set("host") {
            head += "host: ingest.test\r\n";
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !is_set("transfer-encoding") && !is_set("content-length") {
            head += &format!("content-length: {}\r\n", self.body.len());
        }
        (head + "\r\n").into_bytes()
    }

    /// Sends it on a connection of its own, and waits for the answer.
    pub async fn send(&self, address: SocketAddr) -> Reply {
        let mut connection = Connection::open(address).await;
        connection.send(&self.head()).await;
        connection.send(&self.body).await;
        let reply = connection.reply().await;
        reply.unwrap_or_else(|| {
            let Connection { ahead, send_error, read_error, .. } = connection;
            let (method, path, bytes) = (&self.method, &self.path, ahead.len());
            panic!("no answer to {method} {path}: {bytes} bytes, {send_error:?}, {read_error:?}")
        })
    }
}

/// A connection.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// What was read and not used.
    ahead: Vec<u8>,
    /// Why sending failed, if it did.
    send_error: Option<std::io::Error>,
    /// Why reading failed, if it did.
    read_error: Option<std::io::Error>,
}

impl Connection {
    /// Connects.
    pub async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, ahead: Vec::new(), send_error: None, read_error: None }
    }

    /// Sends bytes; a server that closes meanwhile is not a failure.
    pub async fn send(&mut self, bytes: &[u8]) {
        let sent = timeout(PATIENCE, self.stream.write_all(bytes)).await;
        if let Err(error) = sent.expect("the server takes bytes or closes") {
            self.send_error = Some(error);
        }
    }

    /// Why sending failed, if it did.
    pub fn send_error(&self) -> Option<&std::io::Error> {
        self.send_error.as_ref()
    }

    /// Says that nothing more will be sent.
    pub async fn half_close(&mut self) {
        let _ = self.stream.shutdown().await;
    }

    /// The next answer, but for `100 Continue`; none if the connection ends.
    pub async fn reply(&mut self) -> Option<Reply> {
        timeout(PATIENCE, self.read_reply()).await.expect("an answer or an end in time")
    }

    /// Whether the server closes, or has closed, without another byte.
    pub async fn is_closed(&mut self) -> bool {
        self.ahead.is_empty() && !timeout(PATIENCE, self.fill()).await.expect("an end in time")
    }

    /// The next answer with the head of a `100 Continue` as an answer of its own.
    pub async fn read_reply(&mut self) -> Option<Reply> {
        let mut reply = self.read_head().await?;
        if reply.status == 100 {
            return Some(reply);
        }
        reply.bytes = if reply.header("transfer-encoding") == Some("chunked") {
            self.read_chunks().await?
        } else {
            match reply.header("content-length") {
                Some(length) => self.read_exactly(length.parse().unwrap()).await?,
                None => Vec::new(),
            }
        };
        Some(reply)
    }

    /// The head of the next answer; what follows is not read.
    pub async fn read_head(&mut self) -> Option<Reply> {
        let head = self.read_line_block().await?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        Some(Reply { status, headers, bytes: Vec::new() })
    }

    async fn read_chunks(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let line = self.read_until(b"\r\n").await?;
            let size = usize::from_str_radix(line.trim_end(), 16).unwrap();
            let chunk = self.read_exactly(size + 2).await?;
            if size == 0 {
                return Some(bytes);
            }
            bytes.extend_from_slice(&chunk[..size]);
        }
    }

    async fn read_line_block(&mut self) -> Option<String> {
        self.read_until(b"\r\n\r\n").await
    }

    async fn read_until(&mut self, end: &[u8]) -> Option<String> {
        loop {
            if let Some(at) = self.ahead.windows(end.len()).position(|window| window == end) {
                let block: Vec<u8> = self.ahead.drain(..at + end.len()).collect();
                return Some(String::from_utf8(block).unwrap());
            }
            if !self.fill().await {
                return None;
            }
        }
    }

    async fn read_exactly(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.ahead.len() < count {
            if !self.fill().await {
                return None;
            }
        }
        Some(self.ahead.drain(..count).collect())
    }

    async fn fill(&mut self) -> bool {
        let mut piece = vec![0; 64 * 1024];
        let count = match self.stream.read(&mut piece).await {
            Ok(count) => count,
            Err(error) => {
                self.read_error = Some(error);
                0
            }
        };
        self.ahead.extend_from_slice(&piece[..count]);
        count > 0
    }
}
