// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The stream of a run's events (HTML standard, section 9.2, server-sent events).

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::Response;
use http_body::Frame;
use tokio::sync::{mpsc, OwnedSemaphorePermit};

use super::media::{typed, EVENTS};
use super::state::App;
use crate::refusal::{Reason, Refusal};
use crate::runs::{Name, Phase, Run, Runs};

/// The interval at which an idle stream checks for the end of the server.
const LOOK: Duration = Duration::from_secs(1);
/// The number of these intervals after which an idle stream sends a comment.
const QUIET: u32 = 10;
/// The number of events that wait for a slow client. Later states replace each other.
const WAITING: usize = 4;

/// Takes the room for a stream.
///
/// # Errors
/// [`Reason::Queue`] if too many streams are open.
pub fn room(app: &App) -> Result<OwnedSemaphorePermit, Refusal> {
    Arc::clone(&app.run_streams).try_acquire_owned().map_err(|_| {
        let message = "too many streams of events are open";
        Refusal::for_now(Reason::Queue, message, Duration::from_secs(10))
    })
}

/// Cancels an attached run when its client disconnects.
pub struct Guard {
    runs: Arc<Runs>,
    run: Arc<Run>,
}

impl Guard {
    /// Returns the guard of a run.
    pub fn new(runs: &Arc<Runs>, run: &Arc<Run>) -> Self {
        Self { runs: Arc::clone(runs), run: Arc::clone(run) }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.run.phase.borrow().is_final() {
            return;
        }
        // A thread of connections never waits for the disk.
        let (runs, name): (_, Name) = (Arc::clone(&self.runs), self.run.about.name);
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || runs.remove(name))),
            Err(_) => runs.remove(name),
        }
    }
}

/// Returns the answer with the events of a run.
pub fn stream(
    app: &Arc<App>,
    run: &Arc<Run>,
    room: OwnedSemaphorePermit,
    guard: Option<Guard>,
) -> Response<Body> {
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(send(Arc::clone(app), Arc::clone(run), sender));
    typed(EVENTS, Body::new(Events { receiver, _room: room, _guard: guard }))
}

/// Sends the state of a run after each change, until the run, the client or the server ends.
async fn send(app: Arc<App>, run: Arc<Run>, sender: mpsc::Sender<String>) {
    let mut phases = run.phase.subscribe();
    loop {
        let phase = phases.borrow_and_update().clone();
        if sender.send(event(&run, &phase)).await.is_err() || phase.is_final() {
            return;
        }
        let mut quiet = 0;
        while tokio::time::timeout(LOOK, phases.changed()).await.is_err() {
            quiet += 1;
            let is_ending = app.is_ending.load(Relaxed);
            let text = match (is_ending, quiet % QUIET) {
                (true, _) => "event: ending\ndata: {}\n\n",
                (false, 0) => ":\n\n",
                _ if sender.is_closed() => return,
                _ => continue,
            };
            if sender.send(text.to_owned()).await.is_err() || is_ending {
                return;
            }
        }
        if app.is_ending.load(Relaxed) && !run.phase.borrow().is_final() {
            // The run waits for the next server.
            let _ = sender.send("event: ending\ndata: {}\n\n".to_owned()).await;
            return;
        }
    }
}

fn event(run: &Run, phase: &Phase) -> String {
    format!("event: {}\ndata: {}\n\n", phase.word(), run.state_in(phase))
}

/// The body of a stream. Dropping it ends the stream, and an attached run.
struct Events {
    receiver: mpsc::Receiver<String>,
    _room: OwnedSemaphorePermit,
    _guard: Option<Guard>,
}

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let event = self.receiver.poll_recv(context);
        event.map(|event| event.map(|event| Ok(Frame::data(event.into()))))
    }
}
