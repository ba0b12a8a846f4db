// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Graphs: a recorded sequence of copies and kernels, which the GPU repeats without the host.

use std::fmt;
use std::sync::Arc;

use cudarc::driver::{result, sys};

use crate::context::Context;
use crate::error::CudaError;
use crate::stream::Stream;

/// A recorded sequence of work. Its buffers must live as long as the graph: keep them together.
pub struct Graph {
    context: Arc<Context>,
    raw: sys::CUgraphExec,
}

// SAFETY: as for `Context`.
unsafe impl Send for Graph {}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").finish_non_exhaustive()
    }
}

impl Graph {
    /// Records the work that `work` gives the stream: launches, and copies within the GPU. The
    /// stream runs none of it.
    ///
    /// # Errors
    /// The error of `work` or of the driver, also for work that waits.
    pub fn record(
        stream: &Stream,
        work: impl FnOnce(&Stream) -> Result<(), CudaError>,
    ) -> Result<Self, CudaError> {
        let context = stream.context();
        // Calls of other threads are not the graph's business.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        // SAFETY: the stream exists until the end of this function.
        context.call("cuStreamBeginCapture", || unsafe {
            result::stream::begin_capture(stream.raw(), mode)
        })?;
        let worked = work(stream);
        // SAFETY: the stream is captured.
        let graph = context
            .call("cuStreamEndCapture", || unsafe { result::stream::end_capture(stream.raw()) });
        let graph = match (worked, graph) {
            (Ok(()), graph) => graph?,
            (Err(error), graph) => {
                if let Ok(graph) = graph {
                    destroy(context, graph);
                }
                return Err(error);
            }
        };
        let mut raw = std::ptr::null_mut();
        let made = context.call("cuGraphInstantiateWithFlags", || {
            // SAFETY: the graph is the driver's, and the pointer is valid for the call.
            unsafe { sys::cuGraphInstantiateWithFlags(&mut raw, graph, 0) }.result()
        });
        destroy(context, graph);
        made.map(|()| Self { context: Arc::clone(context), raw })
    }

    /// Runs the work on a stream.
    ///
    /// # Errors
    /// [`CudaError`] of the driver.
    pub fn launch(&self, stream: &Stream) -> Result<(), CudaError> {
        stream.check(&self.context)?;
        // SAFETY: both exist until they are dropped.
        self.context
            .call("cuGraphLaunch", || unsafe { result::graph::launch(self.raw, stream.raw()) })
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: the graph is owned.
        let destroyed = self
            .context
            .call("cuGraphExecDestroy", || unsafe { result::graph::exec_destroy(self.raw) });
        self.context.note("cuGraphExecDestroy", destroyed);
    }
}

/// Destroys a graph after it was made executable, or could not be.
fn destroy(context: &Context, graph: sys::CUgraph) {
    if graph.is_null() {
        return;
    }
    // SAFETY: the graph is owned, and not used any more.
    let destroyed = context.call("cuGraphDestroy", || unsafe { result::graph::destroy(graph) });
    context.note("cuGraphDestroy", destroyed);
}
