// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An open device.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use halimede_arith::job::{DeviceError, Execute, Executor, Limits, Operation};
use halimede_card::transport::{
    Connect, Mapped, Simulated, SimulatorOptions, Socket, Transport, Uart, Xdma,
};
use halimede_card::{Card, CardError, CardOptions};
use halimede_places::{card, processor, Engine, Found, Registry};

use crate::capabilities::{Capabilities, CardIdentity, GpuStatus, Kind};
use crate::crossover::{Crossover, Crossovers};
use crate::images::{self, Lazy};
use crate::notices::Notices;
use crate::options::Options;
use crate::specification::Specification;

/// Returns this processor, opened once per process: the default device.
///
/// # Errors
/// As [`Device::open`], if the environment requests a backend that this processor lacks.
pub fn shared_processor() -> Result<&'static Arc<Device>, DeviceError> {
    static PROCESSOR: OnceLock<Arc<Device>> = OnceLock::new();
    if let Some(device) = PROCESSOR.get() {
        return Ok(device);
    }
    let device = Arc::new(Device::open("cpu")?);
    Ok(PROCESSOR.get_or_init(|| device))
}

/// An open device. It executes every operation of its engines ([`halimede_arith::job::Execute`]).
///
/// Threads may share a device; batches on one card run sequentially. Dropping a device closes the
/// link and ends its simulator.
pub struct Device {
    executors: Registry,
    /// The card whose executors these are.
    card: Option<Arc<Card>>,
    /// The connection to the card, if it can be opened again.
    link: Option<Mutex<Box<dyn Connect + Send>>>,
    /// The GPUs whose executors these are.
    #[cfg(feature = "cuda")]
    gpus: Option<Arc<halimede_cuda::GpuPlace>>,
    /// The further images of a simulated card.
    pub(crate) images: Vec<Lazy<Device>>,
    /// The states that have been logged.
    pub(crate) notices: Arc<Notices>,
    pub(crate) fallback: Option<Arc<Device>>,
    /// The measured times of the device and its fallback; `None` if they are not compared.
    pub(crate) crossovers: Option<Crossovers>,
    /// The number of retries after a failure.
    pub(crate) retries: usize,
    /// The phase of samples: a random number that the link does not reveal.
    pub(crate) phase: u64,
    capabilities: Capabilities,
}

/// The reason why a device does not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFailure {
    /// The failure.
    pub reason: String,
    /// `true` for a card that answered incorrectly. It is not opened again.
    pub is_distrusted: bool,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { capabilities, fallback, retries, .. } = self;
        let mut all = f.debug_struct("Device");
        all.field("capabilities", capabilities).field("retries", retries);
        all.field("fallback", fallback).finish()
    }
}

impl Device {
    /// Opens the device with this name; see the [crate's](crate) table.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if the device does not exist, with advice.
    pub fn open(name: &str) -> Result<Self, DeviceError> {
        Self::open_with(name, &Options::default())
    }

    /// Opens the device with this name and these settings. Retries a card that does not answer
    /// [`Options::retries`] times; this takes at most that number plus two time limits.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(name: &str, options: &Options) -> Result<Self, DeviceError> {
        let specification = Specification::parse(name)?;
        let card_options = options.card(&specification);
        match specification {
            Specification::Cpu => Self::processor(name),
            Specification::Simulated => {
                let (image, images) = images::of(options);
                let simulator = SimulatorOptions { image, ..options.simulator.clone() };
                let device =
                    Self::open_card(name, card_options, options, move |limit: Duration| {
                        boxed(Simulated::start(&simulator, limit))
                    })?;
                Ok(device.with_images(images))
            }
            Specification::Socket(path) => {
                Self::open_card(name, card_options, options, move |limit: Duration| {
                    boxed(Socket::connect(&path, limit))
                })
            }
            Specification::Xdma(prefix) => {
                Self::open_card(name, card_options, options, move |limit: Duration| {
                    boxed(Xdma::open(&prefix, limit))
                })
            }
            Specification::F2(function) => {
                Self::open_card(name, card_options, options, move |limit: Duration| {
                    boxed(Mapped::open(&function, limit))
                })
            }
            #[cfg(feature = "cuda")]
            Specification::Cuda(gpus) => {
                let (gpus, executors, capabilities) = crate::gpu::open(name, &gpus, options)?;
                let (retries, crossovers) = (options.retries, options.crossovers());
                let device = Self::new(executors, capabilities);
                Ok(Self { gpus: Some(gpus), retries, crossovers, ..device })
            }
            #[cfg(not(feature = "cuda"))]
            Specification::Cuda(_) => Err(DeviceError::Unavailable {
                device: name.to_owned(),
                reason: "this build has no GPUs: it lacks the feature `cuda`".into(),
            }),
            Specification::Uart(path, baud) => {
                Self::open_card(name, card_options, options, move |_: Duration| {
                    boxed(Uart::open(&path, baud))
                })
            }
        }
    }

    /// Like [`Self::open`], with a fallback ([`Self::with_fallback`]) that does all work if the
    /// device cannot be opened.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] for a name that no device can have.
    pub fn open_with_fallback(
        name: &str,
        options: &Options,
        fallback: Device,
    ) -> Result<Self, DeviceError> {
        let specification = Specification::parse(name)?;
        let device = match Self::open_with(name, options) {
            Err(DeviceError::Unavailable { reason, .. }) if specification != Specification::Cpu => {
                tracing::warn!(device = name, reason, fallback = fallback.name(), "not opened");
                Self::absent(name, &specification, &reason)
            }
            other => other?,
        };
        Ok(device.with_fallback(fallback))
    }

    /// Opens a card over a connection. [`Self::reopen`] connects again.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`].
    pub fn open_card(
        name: &str,
        card_options: CardOptions,
        options: &Options,
        mut link: impl Connect + Send + 'static,
    ) -> Result<Self, DeviceError> {
        let mut left = card_options.patience(options.retries);
        let mut tries = 0;
        loop {
            let limit = card_options.time_limit.min(left);
            let start = link.now();
            let opened = link.connect(limit).and_then(|transport| {
                let left = left.saturating_sub(link.now().saturating_duration_since(start));
                Card::open_within(name, transport, card_options, left)
            });
            left = left.saturating_sub(link.now().saturating_duration_since(start));
            match opened {
                Ok(card) => {
                    let link: Box<dyn Connect + Send> = Box::new(link);
                    let link = Some(Mutex::new(link));
                    return Ok(Self { link, ..Self::from_card(card, options) });
                }
                Err(error) if tries < options.retries && error.is_passing() && !left.is_zero() => {
                    tracing::warn!(device = name, %error, "retrying to open the card");
                    tries += 1;
                }
                Err(error) => return Err(unavailable(name, &error)),
            }
        }
    }

    /// Creates a device that could not be opened; its fallback does everything.
    fn absent(name: &str, specification: &Specification, reason: &str) -> Self {
        let kind = match specification {
            Specification::Cuda(_) => Kind::Gpu,
            _ => Kind::Card,
        };
        Self::new(Registry::default(), Capabilities::of_absent(name, kind, reason))
    }

    /// Creates a device over an open card.
    pub fn from_card(card: Card, options: &Options) -> Self {
        let card = Arc::new(card);
        let executors = card::executors(&card);
        let capabilities = Capabilities {
            card: Some(CardIdentity::of(&card)),
            ..Capabilities::new(card.name(), Kind::Card, card::engines(&card, &executors))
        };
        let device = Self::new(executors, capabilities);
        Self { retries: options.retries, phase: card.seed(), card: Some(card), ..device }
    }

    /// Creates a device with this name from the executors of any place.
    pub fn with_executors(name: &str, executors: Registry, options: &Options) -> Self {
        let capabilities = Capabilities::new(name, Kind::Custom, executors.engines());
        Self { retries: options.retries, ..Self::new(executors, capabilities) }
    }

    /// Opens this processor, unless the environment requests a backend that it lacks.
    fn processor(name: &str) -> Result<Self, DeviceError> {
        match halimede_arith::Backend::chosen() {
            Ok(_) => Ok(Self::cpu()),
            Err(error) => Err(DeviceError::of_backend(name, &error)),
        }
    }

    /// Returns this processor. If the environment requests a backend that it lacks, every job fails
    /// with [`DeviceError::Unavailable`], with which [`Self::open`] would fail at once.
    pub fn cpu() -> Self {
        let executors = processor::executors();
        let capabilities = Capabilities::of_processor("cpu", executors.engines());
        Self::new(executors, capabilities)
    }

    fn new(executors: Registry, capabilities: Capabilities) -> Self {
        let notices = Arc::default();
        let (card, link, fallback, images) = (None, None, None, Vec::new());
        Self {
            executors,
            card,
            link,
            #[cfg(feature = "cuda")]
            gpus: None,
            images,
            notices,
            fallback,
            crossovers: None,
            retries: 0,
            phase: 0,
            capabilities,
        }
    }

    /// Adds further images to a simulated card. Its capabilities include those that have been
    /// built.
    fn with_images(mut self, images: Vec<Lazy<Self>>) -> Self {
        for image in images.iter().filter(|image| image.is_here()) {
            let engines = self.engines_of(image);
            self.capabilities.engines.extend(engines);
        }
        Self { images, ..self }
    }

    /// Takes over the fallback and the notices of the whole device of which this is a part.
    pub(crate) fn behind(self, whole: &Self) -> Self {
        let (notices, fallback) = (Arc::clone(&whole.notices), whole.fallback.clone());
        Self { notices, fallback, ..self }
    }

    /// Adds a fallback, which answers the requests that this device does not support or failed to
    /// answer. Each request is answered once; [`halimede_arith::job::Timing`] counts the answers of
    /// the fallback. The fallback of a GPU also answers the batches for which it is faster, by the
    /// times of earlier batches ([`Self::crossovers`], [`Options::by_speed`]).
    #[must_use]
    pub fn with_fallback(mut self, fallback: Device) -> Self {
        self.capabilities.fallback = Some(fallback.name().to_owned());
        self.fallback = Some(Arc::new(fallback));
        self
    }

    /// Returns the sizes of batches from which the device is faster than its fallback, as measured
    /// by the batches so far. Empty for a device that is not compared with its fallback.
    pub fn crossovers(&self) -> Vec<Crossover> {
        self.crossovers.as_ref().map(Crossovers::found).unwrap_or_default()
    }

    /// Returns why the device does not work: the failure of a card that was given up, or the error
    /// that lost all its GPUs. Waits for no batch in progress.
    pub fn failure(&self) -> Option<DeviceFailure> {
        let of_card = self.opened_parts().find_map(|(_, card)| card.failure());
        let of_card = of_card.map(|failure| DeviceFailure {
            reason: failure.reason,
            is_distrusted: failure.is_distrusted,
        });
        of_card.or_else(|| self.failure_of_gpus())
    }

    #[cfg(feature = "cuda")]
    fn failure_of_gpus(&self) -> Option<DeviceFailure> {
        let reason = self.gpus.as_ref()?.failure()?;
        Some(DeviceFailure { reason, is_distrusted: false })
    }

    #[cfg(not(feature = "cuda"))]
    fn failure_of_gpus(&self) -> Option<DeviceFailure> {
        None
    }

    /// Returns the state of each GPU; none for other devices. Calls no driver.
    pub fn gpus(&self) -> Vec<GpuStatus> {
        #[cfg(feature = "cuda")]
        if let Some(gpus) = &self.gpus {
            return gpus.gpus().map(GpuStatus::of).collect();
        }
        Vec::new()
    }

    /// Returns `true` if [`Self::reopen`] can open the device again.
    pub fn can_reopen(&self) -> bool {
        #[cfg(feature = "cuda")]
        if self.gpus.is_some() {
            return true;
        }
        self.link.is_some() && self.failure().is_none_or(|failure| !failure.is_distrusted)
    }

    /// Opens a card that was given up again, or GPUs that were lost; leaves a device that has not
    /// failed unchanged. The caller chooses the time: each try may take two time limits, and for
    /// GPUs the rest of a batch.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if the card does not answer, has answered wrongly before, or
    /// has been replaced by another card; or if no GPU works.
    pub fn reopen(&self) -> Result<(), DeviceError> {
        for (part, card) in self.opened_parts() {
            let Some(failure) = card.failure() else { continue };
            let Some(link) = &part.link else {
                let (device, reason) = (self.name().to_owned(), failure.reason);
                return Err(DeviceError::Unavailable { device, reason });
            };
            let mut link = link.lock().unwrap_or_else(PoisonError::into_inner);
            card.reopen(&mut **link).map_err(|error| unavailable(self.name(), &error))?;
            self.notices.forget_failures();
        }
        #[cfg(feature = "cuda")]
        if let Some(gpus) = self.gpus.as_ref().filter(|gpus| gpus.failure().is_some()) {
            let reopened = gpus.reopen();
            reopened.map_err(|error| crate::gpu::unavailable(self.name(), &error.to_string()))?;
            self.notices.forget_failures();
        }
        Ok(())
    }

    /// The executor of an operation.
    pub(crate) fn executor<Op: Operation>(&self) -> Option<&dyn Executor<Op>> {
        self.found().map(|found| match found {
            Found::MayFail(executor) | Found::Reliable(executor) => executor,
        })
    }

    /// The same, with whether it can fail in the middle of a batch.
    pub(crate) fn found<Op: Operation>(&self) -> Option<Found<'_, Op>> {
        self.executors.get()
    }

    /// The executors of the device itself.
    pub(crate) fn executors(&self) -> &Registry {
        &self.executors
    }

    /// The engines of the device itself, without those of further images.
    pub(crate) fn own_engines(&self) -> Vec<Engine> {
        match &self.card {
            Some(card) => card::engines(card, &self.executors),
            None => self.executors.engines(),
        }
    }

    /// The limits of an operation: the amount of work of one request.
    pub fn limits<Op: Operation>(&self) -> Limits {
        Execute::<Op>::limits(self)
    }

    /// The error for an operation without an executor.
    pub(crate) fn lacks<Op: Operation>(&self) -> DeviceError {
        self.lacks_operation(Op::NAME, "the device does not have the operation")
    }

    /// The error for an operation, by name, that the device lacks for this reason.
    pub(crate) fn lacks_operation(&self, operation: &'static str, why: &str) -> DeviceError {
        let device = self.name().to_owned();
        match self.capabilities.absent.clone() {
            Some(reason) => DeviceError::Unavailable { device, reason },
            None => DeviceError::Unsupported { device, operation, reason: why.into() },
        }
    }

    /// The name of the device, as the user wrote it.
    pub fn name(&self) -> &str {
        &self.capabilities.device
    }

    /// The capabilities of the device itself, without its fallback.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// The card, if the device is one: for its status and registers.
    pub fn card(&self) -> Option<&Card> {
        self.card.as_deref()
    }
}

fn boxed<T: Transport + 'static>(
    transport: Result<T, CardError>,
) -> Result<Box<dyn Transport>, CardError> {
    transport.map(|transport| Box::new(transport) as _)
}

/// The error for a device that does not exist or does not answer.
pub(crate) fn unavailable(name: &str, error: &CardError) -> DeviceError {
    DeviceError::Unavailable { device: name.to_owned(), reason: error.to_string() }
}
