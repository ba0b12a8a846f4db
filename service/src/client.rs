// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A client of the service, with one persistent connection, which is reopened as needed. It sends
//! one request at a time.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use halimede_blake3::blake3;
use rustls::{ClientConnection, StreamOwned};
use serde_json::{json, Value};

use crate::error::ClientError;
use crate::tls::Trust;

/// The maximum number of bytes of a line of an answer's head, and of an answer.
const MOST_LINE_BYTES: u64 = 64 << 10;
const MOST_ANSWER_BYTES: u64 = 1 << 30;
/// The number of bytes of a piece of an upload.
const PIECE_BYTES: usize = 8 << 20;

/// An HTTP response.
#[derive(Clone, Debug)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the header with this name, in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Parses the body as JSON.
    ///
    /// # Errors
    /// [`ClientError::Answer`].
    pub fn json(&self) -> Result<Value, ClientError> {
        serde_json::from_slice(&self.body).map_err(|error| ClientError::Answer(error.to_string()))
    }

    /// Returns the response if its status is a success.
    ///
    /// # Errors
    /// [`ClientError::Refused`].
    pub fn good(self) -> Result<Self, ClientError> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        let text = |name: &str| {
            let body = self.json().unwrap_or_default();
            body["error"][name].as_str().unwrap_or("?").to_owned()
        };
        let seconds = self.header("retry-after").and_then(|value| value.parse().ok());
        Err(ClientError::Refused {
            status: self.status,
            code: text("code"),
            message: text("message"),
            retry_after: seconds.map(Duration::from_secs),
        })
    }
}

/// A client of a service.
pub struct Client {
    address: SocketAddr,
    token: Option<String>,
    deadline: Option<Duration>,
    time_limit: Duration,
    trust: Option<Trust>,
    connection: Mutex<Option<BufReader<Stream>>>,
}

/// A connection, plain or with TLS.
enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}

impl Client {
    /// Returns a client of the service at this address.
    pub fn new(address: SocketAddr) -> Self {
        let (time_limit, connection) = (Duration::from_secs(300), Mutex::new(None));
        Self { address, token: None, deadline: None, time_limit, trust: None, connection }
    }

    /// Uses TLS, and authenticates the server.
    #[must_use]
    pub fn tls(self, trust: Trust) -> Self {
        Self { trust: Some(trust), ..self }
    }

    /// Sets the token.
    #[must_use]
    pub fn token(self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self }
    }

    /// Sets the deadline of each request.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Sets the time limit without progress; the default is 300 s.
    #[must_use]
    pub fn time_limit(self, time_limit: Duration) -> Self {
        Self { time_limit, ..self }
    }

    /// Runs an operation on items, and returns the answers as JSON. Settings follow the path after
    /// `?`.
    ///
    /// # Errors
    /// [`ClientError`]. A bad item is not an error of the call: its answer reports it.
    pub fn call(&self, path: &str, items: &[Value]) -> Result<Vec<Value>, ClientError> {
        let body = json!({ "items": items }).to_string();
        let response = self.send("POST", path, "application/json", body.as_bytes())?.good()?;
        match response.json()?.get_mut("answers").map(Value::take) {
            Some(Value::Array(answers)) if answers.len() == items.len() => Ok(answers),
            _ => Err(ClientError::Answer("it has no answers".into())),
        }
    }

    /// Sends frames of the compact form, and returns the frames of the answers.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn call_frames(&self, path: &str, frames: &[u8]) -> Result<Vec<u8>, ClientError> {
        Ok(self.send("POST", path, "application/octet-stream", frames)?.good()?.body)
    }

    /// Uploads an object, resuming an earlier upload, and returns its name.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn upload(&self, kind: &str, content: &[u8]) -> Result<String, ClientError> {
        let hash = blake3::hash(content).to_hex().to_string();
        let path = format!("/v1/objects/{hash}");
        let standing = self.send("GET", &path, "", &[])?;
        let mut offset = 0;
        if standing.status != 404 {
            let standing = standing.good()?.json()?;
            if standing["complete"] == true {
                return Ok(hash);
            }
            offset = standing["received"].as_u64().unwrap_or(0) as usize;
        }
        loop {
            let rest = content.get(offset..).unwrap_or_default();
            let piece = &rest[..rest.len().min(PIECE_BYTES)];
            let bytes = content.len();
            let path = format!("{path}?kind={kind}&bytes={bytes}&offset={offset}");
            let standing = self.send("PUT", &path, "application/octet-stream", piece)?.good()?;
            let standing = standing.json()?;
            if standing["complete"] == true {
                return Ok(hash);
            }
            match standing["received"].as_u64() {
                Some(received) if received as usize > offset => offset = received as usize,
                _ => return Err(ClientError::Answer("the upload makes no progress".into())),
            }
        }
    }

    /// Sends a request, and returns the response.
    ///
    /// # Errors
    /// [`ClientError::Connection`]; [`ClientError::Answer`] if the response is not HTTP.
    pub fn send(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: &[u8],
    ) -> Result<Response, ClientError> {
        let head = self.head(method, path, content_type, body.len());
        let mut kept = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_kept = kept.is_some();
        loop {
            let mut connection = match kept.take() {
                Some(connection) => connection,
                None => BufReader::new(self.connect()?),
            };
            let sent = exchange(&mut connection, method, head.as_bytes(), body);
            match sent {
                Ok((response, stays)) => {
                    *kept = stays.then_some(connection);
                    return Ok(response);
                }
                // The server may have closed a persistent connection; all requests can be repeated.
                Err(ClientError::Connection(_)) if is_kept => is_kept = false,
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the line and the headers of a request.
    fn head(&self, method: &str, path: &str, content_type: &str, bytes: usize) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {}\r\n", self.address);
        // Writing to a string does not fail.
        let _ = write!(head, "content-length: {bytes}\r\n");
        if !content_type.is_empty() {
            let _ = write!(head, "content-type: {content_type}\r\n");
        }
        if let Some(token) = &self.token {
            let _ = write!(head, "authorization: Bearer {token}\r\n");
        }
        if let Some(deadline) = self.deadline {
            let _ = write!(head, "halimede-deadline-ms: {}\r\n", deadline.as_millis());
        }
        head.push_str("\r\n");
        head
    }

    /// Sends a request on a separate connection, and returns the body of its answer while it
    /// arrives.
    ///
    /// # Errors
    /// As for [`Self::send`], and [`ClientError::Refused`].
    pub(crate) fn stream(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        body: &[u8],
    ) -> Result<impl BufRead, ClientError> {
        let mut connection = BufReader::new(self.connect()?);
        let head = self.head(method, path, content_type, body.len());
        let stream = connection.get_mut();
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        stream.flush()?;
        let response = read_head(&mut connection)?;
        if response.status != 200 {
            let length = response.header("content-length").and_then(|length| length.parse().ok());
            let body = read_exactly(&mut connection, length.unwrap_or(0).min(MOST_LINE_BYTES))?;
            Response { body, ..response }.good()?;
            return Err(ClientError::Answer("it is not a stream".into()));
        }
        match response.header("transfer-encoding") {
            Some("chunked") => Ok(BufReader::new(Chunks { connection, left: Some(0) })),
            _ => Err(ClientError::Answer("it is not a stream".into())),
        }
    }

    /// The time limit without progress.
    pub(crate) fn patience(&self) -> Duration {
        self.time_limit
    }

    fn connect(&self) -> io::Result<Stream> {
        let stream = TcpStream::connect_timeout(&self.address, self.time_limit)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.time_limit))?;
        stream.set_write_timeout(Some(self.time_limit))?;
        match &self.trust {
            None => Ok(Stream::Plain(stream)),
            Some(trust) => Ok(Stream::Tls(Box::new(trust.stream(stream)?))),
        }
    }
}

/// Sends a request and reads its response. Also returns `true` if the connection stays open.
fn exchange(
    connection: &mut BufReader<Stream>,
    method: &str,
    head: &[u8],
    body: &[u8],
) -> Result<(Response, bool), ClientError> {
    let stream = connection.get_mut();
    // A small request is a single write, so that it is a single packet.
    let written = match body.len() {
        0..=16_384 => stream.write_all(&[head, body].concat()),
        _ => stream.write_all(head).and_then(|()| stream.write_all(body)),
    };
    let written = written.and_then(|()| stream.flush());
    // A server that refuses may answer before it has read everything.
    let response = read_response(connection, method);
    match (written, response) {
        (Ok(()), response) => response,
        (Err(_), Ok((response, _))) => Ok((response, false)),
        (Err(error), Err(_)) => Err(error.into()),
    }
}

fn read_response(
    connection: &mut BufReader<Stream>,
    method: &str,
) -> Result<(Response, bool), ClientError> {
    let response = read_head(connection)?;
    let stays = response.header("connection") != Some("close");
    let status = response.status;
    let has_none = method == "HEAD" || status == 204 || status == 304;
    let length = response.header("content-length").map(str::parse::<u64>);
    let body = match length {
        _ if has_none => Vec::new(),
        Some(Ok(length)) if length <= MOST_ANSWER_BYTES => read_exactly(connection, length)?,
        Some(_) => return Err(not_http("content-length")),
        None if response.header("transfer-encoding") == Some("chunked") => read_chunks(connection)?,
        None => {
            let mut body = Vec::new();
            connection.take(MOST_ANSWER_BYTES).read_to_end(&mut body)?;
            return Ok((Response { body, ..response }, false));
        }
    };
    Ok((Response { body, ..response }, stays))
}

/// Reads the status and the headers of a response.
fn read_head(connection: &mut BufReader<Stream>) -> Result<Response, ClientError> {
    let status_line = read_line(connection)?;
    let status = status_line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status: u16 = status.ok_or_else(|| not_http(&status_line))?;
    let mut headers = Vec::new();
    loop {
        let line = read_line(connection)?;
        if line.is_empty() {
            return Ok(Response { status, headers, body: Vec::new() });
        }
        let (name, value) = line.split_once(':').ok_or_else(|| not_http(&line))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn not_http(what: &str) -> ClientError {
    ClientError::Answer(format!("{what:.80}"))
}

/// The body of a response in chunks, while it arrives.
struct Chunks {
    connection: BufReader<Stream>,
    /// The bytes left of the chunk; `None` after the last one.
    left: Option<u64>,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == Some(0) {
            // The end of the last chunk's line is empty.
            let mut line = read_line(&mut self.connection).map_err(ClientError::into_io)?;
            if line.is_empty() {
                line = read_line(&mut self.connection).map_err(ClientError::into_io)?;
            }
            let length = line.split(';').next().unwrap_or_default().trim();
            let length = u64::from_str_radix(length, 16);
            let length = length.map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            self.left = (length > 0).then_some(length);
        }
        let Some(left) = self.left else { return Ok(0) };
        let count = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let read = self.connection.read(&mut buffer[..count])?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left = Some(left - read as u64);
        Ok(read)
    }
}

fn read_exactly(connection: &mut BufReader<Stream>, length: u64) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let read = connection.take(length).read_to_end(&mut body)?;
    match read as u64 == length {
        true => Ok(body),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn read_chunks(connection: &mut BufReader<Stream>) -> Result<Vec<u8>, ClientError> {
    let mut body = Vec::new();
    loop {
        let line = read_line(connection)?;
        let length = u64::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16);
        let length = length.map_err(|_| ClientError::Answer("a chunk without a length".into()))?;
        if body.len() as u64 + length > MOST_ANSWER_BYTES {
            return Err(ClientError::Answer("the answer is too long".into()));
        }
        body.extend(read_exactly(connection, length)?);
        // Headers may follow the last chunk.
        while !read_line(connection)?.is_empty() {}
        if length == 0 {
            return Ok(body);
        }
    }
}

fn read_line(connection: &mut BufReader<Stream>) -> Result<String, ClientError> {
    let mut line = Vec::new();
    connection.take(MOST_LINE_BYTES).read_until(b'\n', &mut line)?;
    if line.pop() != Some(b'\n') {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map_err(|_| ClientError::Answer("a header is not UTF-8".into()))
}
