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

/// An open device: where jobs run.
///
/// name: "cpu" (this processor), "sim" (a card simulated from its RTL), "sim:PATH", "xdma:PREFIX",
/// "f2:PREFIX", "uart:PATH" or "uart:PATH@BAUD"; `halimede.devices()` lists what is here.
/// fallback: name of a device that answers what this one cannot do or has failed at, and everything
/// where this one cannot be opened, e.g. "cpu".
/// time_limit: seconds without any progress after which a card has failed (default 10; 60
/// for a simulated card).
///
/// A device can be used by several threads, not by a forked child. As a context manager it is
/// closed at the end of the block. Raises DeviceError where there is no such device.
#[pyclass(name = "Device", module = "halimede", frozen)]
pub struct PyDevice {
    name: String,
    /// `None` once closed.
    open: Mutex<Option<Arc<Device>>>,
    /// The process that opened it: a child that was forked shares the link and must leave it alone.
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

    /// The name by which it was opened.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// True once `close` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }

    /// What the device is and can do, its fallback's abilities aside: a dict with the keys
    /// "device", "kind" ("processor" or "card"), "engines" and what is known of a processor or
    /// card.
    #[getter]
    fn capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let device = self.get()?;
        to_python(py, serde_json::to_string(device.capabilities()))
    }

    /// What an engine of a card is and has done: a dict with its counters, its shape, the bytes of
    /// its queue and its interrupts. The values are read one after the other, while it goes on.
    ///
    /// engine: named as `halimede card report` does, such as "poseidon".
    /// Raises DeviceError where the device is no card, has no such engine or does not answer.
    fn engine_report<'py>(&self, py: Python<'py>, engine: &str) -> PyResult<Bound<'py, PyAny>> {
        let report = self.windows(py, |windows| windows.report(windows.engine(engine)?))?;
        to_python(py, serde_json::to_string(&report))
    }

    /// Chooses the interrupts of an engine that the card passes on, at the wire of a board and in
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

    /// Clears interrupts of an engine that have happened. Raises as `enable_interrupts`.
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

    /// Sets the watchdog of an engine: that many clocks without progress, with work inside, raise
    /// the interrupt "stalled"; 0 for never. Raises as `engine_report`.
    fn set_watchdog(&self, py: Python<'_>, engine: &str, clocks: u32) -> PyResult<()> {
        self.windows(py, |windows| windows.set_watchdog(windows.engine(engine)?, clocks))
    }

    /// Closes the link and ends the simulator where there is one, after the work that other threads
    /// have on it. Closing twice is harmless.
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
    /// The device, to be used for one job.
    ///
    /// # Errors
    /// `ValueError` where it has been closed, `DeviceError` in a forked child.
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

    /// Does something with the windows of the card's engines.
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

    /// Lets go of the device, which may wait for a simulator's end.
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

/// The device to use: this processor where none was given.
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

/// Refuses to compute on this processor where the environment asks for a backend that is not here.
///
/// # Errors
/// `DeviceError`.
pub fn require_backend() -> PyResult<()> {
    halimede_device::shared_processor().map(drop).map_err(|error| device_error(&error))
}

/// Looks for every kind of device: a list of dicts with the keys "spec" (what `Device` takes),
/// "available", "description" and, where they are known, "capabilities".
///
/// Starts a simulated card for a moment, to see what it can do; opens nothing else.
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
/// `ValueError` where the JSON could not be made.
pub fn to_python(py: Python<'_>, json: serde_json::Result<String>) -> PyResult<Bound<'_, PyAny>> {
    let text = json.map_err(value_error)?;
    py.import("json")?.call_method1("loads", (text,))
}
