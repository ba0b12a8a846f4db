// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede.Device` and `halimede.devices()`.

use std::mem;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use halimede_device::{interrupts_by_name, Capability, Device, Interrupt, Options, Windows};
use pyo3::prelude::*;
use pyo3::types::PyAny;

use crate::errors::{device_error, type_error, value_error, DeviceError};
use crate::work;

/// An open device, which runs jobs.
///
/// name: "cpu" (this processor), "sim" (a card simulated from its RTL), "sim:PATH", "xdma:PREFIX",
/// "f2:ADDRESS", "uart:PATH", "uart:PATH@BAUD" or "cuda:NUMBER"; `halimede.devices()` lists the
/// devices of this machine. fallback: the name of a device, e.g. "cpu", that takes over operations
/// that this device lacks or failed to answer, and everything if this device cannot be opened.
/// time_limit: seconds without any progress after which a card is considered failed (default 10; 60
/// for a simulated card).
///
/// Threads may share a device; a forked child cannot use its parent's. As a context manager it is
/// closed at the end of the block. Raises DeviceError if the device does not exist.
#[pyclass(name = "Device", module = "halimede", frozen)]
pub struct PyDevice {
    name: String,
    /// `None` once closed.
    open: Mutex<Option<Arc<Device>>>,
    /// The process that opened the device. A forked child shares the link and must not use it.
    owner: u32,
}

#[pymethods]
impl PyDevice {
    #[new]
    #[pyo3(signature = (name = "cpu", *, fallback = None, time_limit = None))]
    fn new(
        py: Python<'_>,
        name: &str,
        fallback: Option<&str>,
        time_limit: Option<f64>,
    ) -> PyResult<Self> {
        let options = options(time_limit)?;
        let device = work::run(py, |_| match fallback {
            None => Device::open_with(name, &options),
            Some(fallback) => {
                let fallback = Device::open_with(fallback, &options)?;
                Device::open_with_fallback(name, &options, fallback)
            }
        })?;
        let device = device.map_err(|error| device_error(&error))?;
        let open = Mutex::new(Some(Arc::new(device)));
        Ok(Self { name: name.to_owned(), open, owner: process::id() })
    }

    /// The name with which the device was opened.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// True after `close`.
    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }

    /// The capabilities of the device, without those of its fallback: a dict with the keys
    /// "device", "kind" ("processor", "card" or "gpu"), "engines", and details of the processor or
    /// card.
    #[getter]
    fn capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let device = self.get()?;
        to_python(py, serde_json::to_string(device.capabilities()))
    }

    /// The state of an engine of a card: a dict with its counters, its shape, the size of its queue
    /// in bytes and its interrupts. The values are read sequentially while the engine runs.
    ///
    /// engine: the name of the engine as in `halimede card report`, such as "poseidon".
    /// Raises DeviceError if the device is not a card, lacks the engine or does not answer.
    fn engine_report<'py>(&self, py: Python<'py>, engine: &str) -> PyResult<Bound<'py, PyAny>> {
        let report = self.windows(py, |windows| windows.report(windows.engine(engine)?))?;
        to_python(py, serde_json::to_string(&report))
    }

    /// Enables exactly these interrupts of an engine, for the interrupt wire of a board and for
    /// `interrupting`: any of "error", "ignored", "idle", "stalled", "memory_error" and
    /// "timed_out".
    ///
    /// Raises ValueError for another name, and as `engine_report`.
    fn enable_interrupts(
        &self,
        py: Python<'_>,
        engine: &str,
        interrupts: Vec<String>,
    ) -> PyResult<()> {
        let chosen = by_name(&interrupts)?;
        self.windows(py, |windows| windows.enable_interrupts(windows.engine(engine)?, &chosen))
    }

    /// Clears pending interrupts of an engine. Raises as `enable_interrupts`.
    fn clear_interrupts(
        &self,
        py: Python<'_>,
        engine: &str,
        interrupts: Vec<String>,
    ) -> PyResult<()> {
        let chosen = by_name(&interrupts)?;
        self.windows(py, |windows| windows.clear_interrupts(windows.engine(engine)?, &chosen))
    }

    /// The names of the engines with an enabled interrupt pending. Raises as `engine_report`.
    fn interrupting(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let engines = self.windows(py, |windows| windows.interrupting())?;
        Ok(engines.into_iter().map(Capability::name).collect())
    }

    /// Sets the watchdog of an engine: after this number of clocks without progress, while it has
    /// work, the engine raises the interrupt "stalled"; 0 disables the watchdog. Raises as
    /// `engine_report`.
    fn set_watchdog(&self, py: Python<'_>, engine: &str, clocks: u32) -> PyResult<()> {
        self.windows(py, |windows| windows.set_watchdog(windows.engine(engine)?, clocks))
    }

    /// Closes the link, and ends a simulator, once the work of other threads is done. Closing twice
    /// is harmless.
    fn close(&self, py: Python<'_>) {
        let device = self.lock().take();
        self.end(py, device);
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        let closed = if self.closed() { ", closed" } else { "" };
        format!("<halimede.Device {:?}{closed}>", self.name)
    }
}

impl PyDevice {
    /// Returns the device for one job.
    ///
    /// # Errors
    /// `ValueError` if it has been closed, `DeviceError` in a forked child.
    pub fn get(&self) -> PyResult<Arc<Device>> {
        let name = &self.name;
        let Some(device) = self.lock().clone() else {
            return Err(value_error(format!("device {name} has been closed")));
        };
        if self.owner != process::id() {
            let reason = "was opened by the process that this one was forked from; open it here";
            return Err(DeviceError::new_err(format!("device {name} {reason}")));
        }
        Ok(device)
    }

    /// Calls a function with the windows of the card's engines.
    fn windows<T: Send>(
        &self,
        py: Python<'_>,
        act: impl FnOnce(Windows<'_>) -> Result<T, halimede_arith::job::DeviceError> + Send,
    ) -> PyResult<T> {
        let device = self.get()?;
        let done = work::run(py, |_| device.windows().and_then(act))?;
        done.map_err(|error| device_error(&error))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<Device>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the device, which may wait for the end of a simulator.
    fn end(&self, py: Python<'_>, device: Option<Arc<Device>>) {
        if self.owner == process::id() {
            py.detach(|| drop(device));
        } else {
            mem::forget(device);
        }
    }
}

impl Drop for PyDevice {
    fn drop(&mut self) {
        let device = self.lock().take();
        Python::attach(|py| self.end(py, device));
    }
}

/// Returns the device to use: this processor by default.
///
/// # Errors
/// As [`PyDevice::get`], or `TypeError`.
pub fn open(device: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Device>> {
    match device {
        Some(device) => match device.cast::<PyDevice>() {
            Ok(device) => device.get().get(),
            Err(_) => Err(type_error(format!(
                "device: got {}, wanted a halimede.Device, such as halimede.Device(\"cpu\")",
                device.repr()?
            ))),
        },
        None => match halimede_device::shared_processor() {
            Ok(processor) => Ok(processor.clone()),
            Err(error) => Err(device_error(&error)),
        },
    }
}

/// Checks that this processor supports the backend that the environment requests.
///
/// # Errors
/// `DeviceError`.
pub fn require_backend() -> PyResult<()> {
    halimede_device::shared_processor().map(drop).map_err(|error| device_error(&error))
}

/// Looks for every kind of device. Returns a list of dicts with the keys "spec" (the name for
/// `Device`), "available", "description" and, if known, "capabilities".
///
/// Starts a simulated card briefly to read its capabilities, and opens each GPU; opens no other
/// device.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let found = work::run(py, |_| halimede_device::list())?;
    to_python(py, serde_json::to_string(&found))
}

fn by_name(names: &[String]) -> PyResult<Vec<Interrupt>> {
    interrupts_by_name(names.iter().map(String::as_str)).map_err(value_error)
}

fn options(time_limit: Option<f64>) -> PyResult<Options> {
    let Some(seconds) = time_limit else { return Ok(Options::default()) };
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    let wanted = || value_error(format!("time_limit: wanted seconds above 0, got {seconds}"));
    Ok(Options::default().time_limit(limit.ok_or_else(wanted)?))
}

/// Parses JSON with Python's `json`.
///
/// # Errors
/// `ValueError` if writing the JSON failed.
pub fn to_python(py: Python<'_>, json: serde_json::Result<String>) -> PyResult<Bound<'_, PyAny>> {
    let text = json.map_err(value_error)?;
    py.import("json")?.call_method1("loads", (text,))
}
