// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Handles requests for operations.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{HeaderMap, CONTENT_TYPE};
use axum::http::{HeaderValue, Response};
use halimede_arith::interface::Answer;
use halimede_operations::{binary, json};
use tokio::sync::Semaphore;

use super::body::{self, ChargedBody};
use super::media::{JSON, OCTETS};
use super::state::{refused, App, Done};
use crate::operations::{Batch, BatchEncoding, Submitted};
use crate::query;
use crate::queue::{Guard, Work};
use crate::refusal::{Reason, Refusal};

/// The header with the deadline, in milliseconds from the arrival of the headers.
pub const DEADLINE: &str = "halimede-deadline-ms";

impl BatchEncoding {
    fn of(headers: &HeaderMap) -> Result<Self, Refusal> {
        let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let given = given.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        match given.to_ascii_lowercase().as_str() {
            JSON => Ok(Self::Json),
            OCTETS => Ok(Self::Binary),
            _ => {
                let message = format!("expected the Content-Type {JSON} or {OCTETS}");
                Err(Refusal::new(Reason::Type, message))
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Json => JSON,
            Self::Binary => OCTETS,
        }
    }
}

/// Answers a request for the operation with this index in the table.
pub async fn operate(
    operation: usize,
    State(app): State<Arc<App>>,
    request: Request,
) -> Response<Body> {
    let transfer = Duration::ZERO;
    let mut done = Done { operation, items: 0, bad_items: 0, received_bytes: 0, transfer };
    let answered = answer(&app, &mut done, request).await;
    let mut response = answered.unwrap_or_else(|refusal| refused(&refusal));
    response.extensions_mut().insert(done);
    response
}

async fn answer(
    app: &Arc<App>,
    done: &mut Done,
    request: Request,
) -> Result<Response<Body>, Refusal> {
    let start = Instant::now();
    let endpoint = Arc::clone(&app.endpoints[done.operation]);
    let about = endpoint.about();
    let (head, body) = request.into_parts();
    let form = BatchEncoding::of(&head.headers)?;
    let settings = query::read(head.uri.query().unwrap_or_default(), about.settings)?;
    let chosen = settings.chosen();
    let allowed = deadline(app, &head.headers)?;
    let deadline = start + allowed;
    let ChargedBody { bytes: body, charge } = body::read(app, &head.headers, body).await?;
    done.received_bytes = body.len();
    // Dropped with this future, which cancels the request.
    let guard = Guard::default();
    let work = Work { life: guard.life(), deadline, charge };
    let batch = Batch { body, form, most_items: app.limits.items };
    let readers = if about.needs_object() { &app.planners } else { &app.readers };
    let submit = in_background(readers, move || endpoint.submit(settings, batch, work));
    let answered = async {
        let Submitted { items, numbers, pending } = submit.await??;
        done.items = items;
        done.transfer = start.elapsed();
        let (answers, charge) = pending.await.map_err(|_| lost(app))??;
        Ok((answers, numbers, charge))
    };
    let answered = tokio::time::timeout_at(deadline.into(), answered).await;
    let (answers, numbers, charge) = answered.unwrap_or_else(|_| {
        let message = format!("no answer after {} ms", allowed.as_millis());
        Err(Refusal::new(Reason::Deadline, message))
    })?;
    drop(guard);
    done.bad_items = answers.iter().filter(|answer| matches!(answer, Answer::Bad(_))).count();
    let reply = about.reply;
    let write = move || match form {
        BatchEncoding::Json => json::write(&answers, reply, &chosen),
        BatchEncoding::Binary => binary::write(&answers, &numbers),
    };
    let writing = Instant::now();
    let body = in_background(&app.readers, write).await?;
    done.transfer += writing.elapsed();
    let mut response = Response::new(body::answer(body, charge)?);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(form.name()));
    Ok(response)
}

/// Runs work on a client's data, which may take long, on a blocking thread with a permit: the
/// threads of connections never wait.
async fn in_background<T: Send + 'static>(
    room: &Arc<Semaphore>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Refusal> {
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "reading or writing a batch failed");
        Refusal::new(Reason::Internal, "reading or writing the batch failed")
    };
    let permit = Arc::clone(room).acquire_owned().await.map_err(|error| failed(&error))?;
    let work = tokio::task::spawn_blocking(move || {
        // Held until the work ends, even if its future was dropped.
        let _permit = permit;
        work()
    });
    work.await.map_err(|error| failed(&error))
}

/// Returns the refusal of a request whose answer was lost.
fn lost(app: &App) -> Refusal {
    use std::sync::atomic::Ordering::Relaxed;
    match app.is_ending.load(Relaxed) {
        true => Refusal::new(Reason::Ending, "the server is shutting down"),
        false => Refusal::new(Reason::Internal, "the computation failed"),
    }
}

/// Returns the time limit of a request.
fn deadline(app: &App, headers: &HeaderMap) -> Result<Duration, Refusal> {
    let Some(given) = headers.get(DEADLINE) else { return Ok(app.limits.deadline) };
    let most = app.limits.longest_deadline.as_millis() as u64;
    let given = given.to_str().ok().and_then(|text| text.parse().ok());
    match given.filter(|given| (1..=most).contains(given)) {
        Some(given) => Ok(Duration::from_millis(given)),
        None => {
            let message = format!("{DEADLINE}: expected 1 to {most} milliseconds");
            Err(Refusal::new(Reason::Setting, message))
        }
    }
}
