//! The transport of local programs: one JSON-RPC message a line, in on one pipe and out on another.
//!
//! The one of `rmcp` leaves what is no JSON, and what is too long, without an answer; this one says so.

use std::error::Error;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::model::{ClientRequest, ErrorData, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use crate::mcp::host::Host;
use crate::mcp::server::McpServer;

/// Bytes of a message; our choice, far beyond what any request of ours takes.
pub const MAX_LINE_BYTES: usize = 1024 * 1024;
/// What editors of one vendor put before the first character of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Why a conversation did not end by itself.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// The client and we could not agree on how to talk.
    #[error("cannot start the MCP session")]
    Begin(#[source] Box<dyn Error + Send + Sync>),
    /// A fault of ours ended it.
    #[error("the MCP session ended early")]
    Broken(#[source] Box<dyn Error + Send + Sync>),
}

/// Answers what comes in until it ends. What still runs then has a few seconds to be answered, and is
/// dropped.
///
/// # Errors
///
/// When no conversation was possible. The end of the input is not an error: that is how a conversation ends.
pub async fn serve<H, R, W>(server: McpServer<H>, input: R, output: W) -> Result<(), StdioError>
where
    H: Host,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let running = match server.serve(Pipes::new(input, output)).await {
        Ok(running) => running,
        // The client is not there, or no longer.
        Err(
            ServerInitializeError::ConnectionClosed(_)
            | ServerInitializeError::TransportError { .. },
        ) => return Ok(()),
        Err(error) => return Err(StdioError::Begin(Box::new(error))),
    };
    running.waiting().await.map(|_| ()).map_err(|error| StdioError::Broken(Box::new(error)))
}

/// Both pipes.
struct Pipes<R, W> {
    lines: Lines<R>,
    output: Arc<Mutex<Option<W>>>,
    /// An answer to a line that is not a message, on its way. A future that is dropped while it waits loses
    /// nothing: the next one goes on with it.
    answer: Option<Sending>,
    /// Whether the client has said how it talks. Before that, what is not a request has no meaning.
    has_begun: bool,
}

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

impl<R, W> fmt::Debug for Pipes<R, W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pipes").finish_non_exhaustive()
    }
}

impl<R: AsyncRead + Unpin, W> Pipes<R, W> {
    fn new(input: R, output: W) -> Self {
        Self {
            lines: Lines::new(input),
            output: Arc::new(Mutex::new(Some(output))),
            answer: None,
            has_begun: false,
        }
    }
}

impl<R, W> Transport<RoleServer> for Pipes<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        write(Arc::clone(&self.output), message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answer) = &mut self.answer {
                answer.await.ok()?;
                self.answer = None;
            }
            let read = match self.lines.next().await {
                Ok(Some(Line::Whole)) => message(&self.lines.line),
                Ok(Some(Line::TooLong)) => Err(Some(too_long())),
                Ok(None) => return None,
                Err(error) => {
                    tracing::error!(error = &error as &dyn Error, "nothing is read");
                    return None;
                }
            };
            match read {
                Ok(message) if self.has_begun || begins(&message) => {
                    self.has_begun = true;
                    return Some(message);
                }
                Ok(message @ JsonRpcMessage::Request(_)) => return Some(message),
                Ok(_) | Err(None) => {}
                Err(Some((error, id))) => {
                    let message = JsonRpcMessage::error(error, id);
                    self.answer = Some(Box::pin(write(Arc::clone(&self.output), message)));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        match self.output.lock().await.take() {
            Some(mut output) => output.shutdown().await,
            None => Ok(()),
        }
    }
}

/// Writes a message as a line.
async fn write<W: AsyncWrite + Unpin>(
    output: Arc<Mutex<Option<W>>>,
    message: TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(&message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    output.write_all(&line).await?;
    output.flush().await
}

/// An error to send, and the id of the message that it answers, if that is known.
type Refused = (ErrorData, Option<RequestId>);

fn too_long() -> Refused {
    let message = format!("The message is larger than {MAX_LINE_BYTES} bytes.");
    (ErrorData::invalid_request(message, None), None)
}

/// The message in a line; else the error to answer, or nothing where nothing may be answered.
fn message(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Option<Refused>> {
    let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Err(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(message);
    }
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        return Err(Some((ErrorData::parse_error("The line is not JSON.", None), None)));
    };
    let id = value.get("id");
    if id.is_none() && value.get("method").is_some_and(Value::is_string) {
        // A notification that we do not know, or that is not well formed.
        return Err(None);
    }
    let id = id.and_then(|id| serde_json::from_value(id.clone()).ok());
    let text = "The line is not a JSON-RPC 2.0 message. Send one object per line.";
    Err(Some((ErrorData::invalid_request(text, None), id)))
}

/// Whether a client says with this message how it talks: by `initialize`, or by a request that names its
/// revision and what it can do.
fn begins(message: &RxJsonRpcMessage<RoleServer>) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        }
    }
}

/// Lines of which none grows without bound.
struct Lines<R> {
    input: BufReader<R>,
    /// What has been read of the line.
    line: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    /// The line is being read.
    Reading,
    /// The line is there.
    Done,
    /// The line is too long, and its rest is left out.
    Skipping,
}

/// What was read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Line {
    /// A line, in the buffer.
    Whole,
    /// The beginning of a line that is not kept.
    TooLong,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), state: State::Reading }
    }

    /// The next line; the last one needs no end. A future that is dropped while it waits loses nothing.
    async fn next(&mut self) -> io::Result<Option<Line>> {
        if self.state == State::Done {
            self.line.clear();
            self.state = State::Reading;
        }
        loop {
            let read = self.input.fill_buf().await?;
            if read.is_empty() {
                self.state = State::Done;
                return Ok((!self.line.is_empty()).then_some(Line::Whole));
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            let fits = self.line.len() + taken <= MAX_LINE_BYTES;
            if fits && self.state == State::Reading {
                self.line.extend_from_slice(read.get(..taken).unwrap_or_default());
            }
            self.input.consume(taken);
            let was = self.state;
            self.state = match (was, end) {
                (State::Skipping, None) => State::Skipping,
                (State::Skipping, Some(_)) => State::Reading,
                (_, None) if fits => State::Reading,
                (_, None) => State::Skipping,
                (_, Some(_)) if fits => State::Done,
                (_, Some(_)) => State::Reading,
            };
            match was {
                State::Skipping => {}
                _ if !fits => {
                    self.line.clear();
                    return Ok(Some(Line::TooLong));
                }
                _ if self.state == State::Done => return Ok(Some(Line::Whole)),
                _ => {}
            }
        }
    }
}
