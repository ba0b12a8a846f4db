// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Connections: limits of their number and speed, and shutdown.

use std::convert::Infallible;
use std::future::{poll_fn, Future};
use std::io;
use std::net::SocketAddr;
use std::pin::{pin, Pin};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use axum::Router;
use halimede_device::Device;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{signal, SignalKind};
use tokio::sync::{oneshot, watch, Semaphore};
use tokio::time::{Instant, Sleep};
use tokio_rustls::TlsAcceptor;

use super::routes;
use super::state::{App, STORING_THREADS};
use crate::error::ServeError;
use crate::networks::Networks;
use crate::objects::Objects;
use crate::options::{Limits, Options};
use crate::queue::Queue;
use crate::runs::Runs;
use crate::tls;

/// The maximum number of threads for connections; computations have their own threads.
const MOST_THREADS: usize = 4;
/// The number of threads per processor that read and write batches: enough for all permits.
const READING_THREADS: usize = 3;
const BUFFER_BYTES: usize = 64 << 10;
/// The pause after the system failed to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The last part of the time for shutdown, at most half of it, in which pending requests are
/// refused.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// The answer to a connection beyond the limit.
const TURNED_AWAY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
    retry-after: 1\r\nconnection: close\r\ncontent-length: 70\r\n\r\n\
    {\"error\":{\"code\":\"connections\",\"message\":\"too many connections now\"}}\n";

/// A server that listens, but does not answer yet.
pub struct Server {
    runtime: Runtime,
    listener: std::net::TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    app: Arc<App>,
}

/// A server that runs on a thread.
pub struct Running {
    address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<bool>>,
}

impl Server {
    /// Opens the folder of objects, reads tokens and certificates, and starts to listen.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn bind(device: Arc<Device>, options: &Options) -> Result<Self, ServeError> {
        let tls = options.tls.as_ref().map(tls::acceptor).transpose()?;
        let store = options.store.as_deref();
        let objects = Objects::open(store, options.quota_bytes, options.cache_bytes);
        let objects = objects.map_err(|source| ServeError::Store {
            path: store.unwrap_or("".as_ref()).to_owned(),
            source,
        })?;
        let networks = Networks::open(&options.networks, &objects)?;
        let runs = Runs::open(store, networks, &objects, options.limits.runs);
        let runs = runs.map_err(|source| ServeError::Store {
            path: store.unwrap_or("".as_ref()).to_owned(),
            source,
        })?;
        let queue = Queue::start(device, options.limits.queue)?;
        let app = match App::new(Arc::clone(&queue), objects, runs, options) {
            Ok(app) => app,
            Err(error) => {
                queue.stop();
                return Err(error);
            }
        };
        let address = options.listen;
        let listen = || {
            let listener = std::net::TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let listening = listen().map_err(|source| ServeError::Listen { address, source });
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(cores.min(MOST_THREADS))
            .max_blocking_threads(READING_THREADS * cores.max(2) + STORING_THREADS)
            .enable_all()
            .build();
        match (listening, runtime) {
            (Ok((listener, address)), Ok(runtime)) => {
                Ok(Self { runtime, listener, address, tls, app })
            }
            (Err(error), _) => {
                queue.stop();
                Err(error)
            }
            (_, Err(error)) => {
                queue.stop();
                Err(error.into())
            }
        }
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of its address.
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Serves until SIGTERM or SIGINT, then answers all accepted requests. Returns `true` if all of
    /// them were answered within the time limit. Calls `announce` with the URL once signal handlers
    /// are installed.
    ///
    /// # Errors
    /// [`ServeError::System`]; the errors of `announce`.
    pub fn run<E: From<ServeError>>(
        self,
        announce: impl FnOnce(&str) -> Result<(), E>,
    ) -> Result<bool, E> {
        let signals = || {
            let _inside = self.runtime.enter();
            let kinds = (SignalKind::terminate(), SignalKind::interrupt());
            Ok::<_, io::Error>((signal(kinds.0)?, signal(kinds.1)?))
        };
        let (mut terminate, mut interrupt) = signals().map_err(ServeError::from)?;
        announce(&self.url())?;
        let end = poll_fn(move |context| {
            match (terminate.poll_recv(context), interrupt.poll_recv(context)) {
                (Poll::Pending, Poll::Pending) => Poll::Pending,
                _ => Poll::Ready(()),
            }
        });
        Ok(self.run_until(end)?)
    }

    /// Serves on a thread.
    ///
    /// # Errors
    /// [`ServeError::System`].
    pub fn start(self) -> Result<Running, ServeError> {
        let (address, (end, ended)) = (self.address, oneshot::channel());
        let run = move || {
            let run = self.run_until(async move { drop(ended.await) });
            run.unwrap_or_else(|error| {
                tracing::error!(%error, "the server has stopped");
                false
            })
        };
        let thread = std::thread::Builder::new().name("server".into()).spawn(run)?;
        Ok(Running { address, end: Some(end), thread: Some(thread) })
    }

    fn run_until(self, end: impl Future<Output = ()>) -> Result<bool, ServeError> {
        let Self { runtime, listener, app, tls, .. } = self;
        if let Err(error) = app.runs.work() {
            app.queue.stop();
            return Err(error.into());
        }
        let ended = runtime.block_on(serve(listener, tls, &app, end));
        let (all_answered, end) = match ended {
            Ok((all_answered, end)) => (Ok(all_answered), end),
            Err(error) => (Err(error), Instant::now()),
        };
        // The device may still be busy: wait for it only until the time limit.
        let (queue, runs) = (Arc::clone(&app.queue), Arc::clone(&app.runs));
        let stopped = runtime.spawn_blocking(move || {
            queue.stop();
            runs.stop();
        });
        let _ = runtime.block_on(async { tokio::time::timeout_at(end.max(soon()), stopped).await });
        runtime.shutdown_timeout(end.saturating_duration_since(Instant::now()));
        Ok(all_answered?)
    }
}

impl Running {
    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops the server like a signal. Returns `true` if all accepted requests were answered.
    pub fn end(mut self) -> bool {
        self.finish()
    }

    fn finish(&mut self) -> bool {
        drop(self.end.take());
        self.thread.take().is_some_and(|thread| thread.join().unwrap_or(false))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.finish();
    }
}

async fn serve(
    listener: std::net::TcpListener,
    tls: Option<TlsAcceptor>,
    app: &Arc<App>,
    end: impl Future<Output = ()>,
) -> io::Result<(bool, Instant)> {
    let listener = TcpListener::from_std(listener)?;
    let router = routes::router(app);
    let Limits { connections: most, shutdown_time, .. } = app.limits;
    let most = u32::try_from(most).unwrap_or(u32::MAX).max(1);
    let room = Arc::new(Semaphore::new(most as usize));
    let (ending, watched) = watch::channel(false);
    let mut end = pin!(end);
    loop {
        let accepted = {
            let mut accept = pin!(listener.accept());
            poll_fn(|context| match end.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => accept.as_mut().poll(context).map(Some),
            })
            .await
        };
        let stream = match accepted {
            None => break,
            Some(Ok((stream, _))) => stream,
            Some(Err(error)) => {
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        app.metrics.accepted.fetch_add(1, Relaxed);
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
            app.metrics.turned_away.fetch_add(1, Relaxed);
            if tls.is_none() {
                // Do not wait if the answer does not fit into the buffer of the socket.
                let _ = stream.try_write(TURNED_AWAY);
            }
            continue;
        };
        let (app, router, watched) = (Arc::clone(app), router.clone(), watched.clone());
        let tls = tls.clone();
        tokio::spawn(async move {
            let _permit = permit;
            app.metrics.connections.fetch_add(1, Relaxed);
            // Answers are written as a whole: gathering small packets would only delay them.
            let _ = stream.set_nodelay(true);
            let served = Arc::clone(&app);
            match tls {
                None => connection(stream, served, router, watched).await,
                Some(tls) => {
                    let handshake = tls.accept(stream);
                    match tokio::time::timeout(app.limits.header_time, handshake).await {
                        Ok(Ok(stream)) => connection(stream, served, router, watched).await,
                        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                        Err(_) => tracing::debug!("a TLS handshake took too long"),
                    }
                }
            }
            app.metrics.connections.fetch_sub(1, Relaxed);
        });
    }
    drop(listener);
    app.is_ending.store(true, Relaxed);
    tracing::info!("the server is shutting down");
    // Runs need no time for answers: the next server continues them.
    let runs = Arc::clone(&app.runs);
    drop(tokio::task::spawn_blocking(move || runs.stop()));
    // Sending fails if no connection is open.
    let _ = ending.send(true);
    let all_closed = || room.acquire_many(most);
    let end = Instant::now() + shutdown_time;
    let last_answers = LAST_ANSWERS.min(shutdown_time / 2);
    if tokio::time::timeout_at(end - last_answers, all_closed()).await.is_ok() {
        return Ok((true, end));
    }
    // Requests that are arriving, waiting or being computed are refused.
    let is_idle = app.queue.fill().requests == 0;
    if !is_idle {
        tracing::warn!("some accepted requests were not answered in time");
    }
    let _ = app.is_closing.send(true);
    let queue = Arc::clone(&app.queue);
    drop(tokio::task::spawn_blocking(move || queue.stop()));
    let are_closed = tokio::time::timeout_at(end, all_closed()).await.is_ok();
    Ok((is_idle && are_closed, end))
}

/// Returns a time limit for idle threads to end.
fn soon() -> Instant {
    Instant::now() + Duration::from_millis(100)
}

/// Serves a connection to its end.
async fn connection(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin,
    app: Arc<App>,
    router: Router,
    mut watched: watch::Receiver<bool>,
) {
    let limits = app.limits;
    let io = TokioIo::new(Timed { stream, limit: limits.write_time, timer: None });
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let (app, router) = (Arc::clone(&app), router.clone());
        async move { Ok::<_, Infallible>(app.answer(router, request.map(Body::new)).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_header_size(limits.header_bytes)
        .max_buf_size(BUFFER_BYTES.max(2 * limits.header_bytes))
        .serve_connection(io, service);
    let mut connection = pin!(connection);
    let mut ending = pin!(async move { drop(watched.wait_for(|is_ending| *is_ending).await) });
    let mut is_ending = false;
    let served = poll_fn(|context| {
        if !is_ending && ending.as_mut().poll(context).is_ready() {
            is_ending = true;
            connection.as_mut().graceful_shutdown();
        }
        connection.as_mut().poll(context)
    });
    if let Err(error) = served.await {
        tracing::debug!(%error, "a connection failed");
    }
}

/// A stream that fails if the other side does not read for too long.
struct Timed<S> {
    stream: S,
    limit: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    /// Returns the outcome of writing, or a failure after the time limit.
    fn within<T>(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.timer = None;
            return outcome;
        }
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep(limit)));
        timer.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.within(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.within(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
