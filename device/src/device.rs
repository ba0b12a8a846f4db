// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An open device.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use halimede_arith::job::{DeviceError, Execute, Executor, Limits, Operation};
use halimede_card::transport::{
    Connect, Simulated, SimulatorOptions, Socket, Transport, Uart, Xdma, F2,
};
use halimede_card::{Card, CardError, CardFailure, CardOptions};
use halimede_places::{card, processor, Engine, Found, Registry};

use crate::capabilities::{Capabilities, CardIdentity, Kind};
use crate::images::{self, Lazy};
use crate::notices::Notices;
use crate::options::Options;
use crate::specification::Specification;

/// This processor, opened once in a process: the device of those who name none.
///
/// # Errors
/// As [`Device::open`]: the environment asks for a backend that is not here.
pub fn shared_processor() -> Result<&'static Arc<Device>, DeviceError> {
    static PROCESSOR: OnceLock<Arc<Device>> = OnceLock::new();
    if let Some(device) = PROCESSOR.get() {
        return Ok(device);
    }
    let device = Arc::new(Device::open("cpu")?);
    Ok(PROCESSOR.get_or_init(|| device))
}

/// An open device: it executes every operation that its engines have
/// ([`halimede_arith::job::Execute`]).
///
/// A device can be shared between threads; batches on one card follow each other. Dropping it
/// closes the link, and ends the simulator where there is one.
pub struct Device {
    executors: Registry,
    /// The card whose executors these are.
    card: Option<Arc<Card>>,
    /// The way to the card, where it can be opened again.
    link: Option<Mutex<Box<dyn Connect + Send>>>,
    /// The further images of a simulated card.
    pub(crate) images: Vec<Lazy<Device>>,
    /// What has been logged.
    pub(crate) notices: Arc<Notices>,
    pub(crate) fallback: Option<Arc<Device>>,
    /// How often a place is tried again after a failure.
    pub(crate) retries: usize,
    /// Where samples begin: a random number that the link does not show.
    pub(crate) phase: u64,
    capabilities: Capabilities,
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
    /// Opens the device of this name; see the [crate's](crate) table.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] where there is no such device, with what to do.
    pub fn open(name: &str) -> Result<Self, DeviceError> {
        Self::open_with(name, &Options::default())
    }

    /// Opens the device of this name with these settings. A card that does not answer is tried
    /// again as often as [`Options::retries`] says; it takes that many and two time limits at most.
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
                Self::open_card(name, card_options, options, move |_: Duration| {
                    boxed(Xdma::open(&prefix))
                })
            }
            Specification::F2(prefix) => {
                Self::open_card(name, card_options, options, move |_: Duration| {
                    boxed(F2::open(&prefix))
                })
            }
            Specification::Uart(path, baud) => {
                Self::open_card(name, card_options, options, move |_: Duration| {
                    boxed(Uart::open(&path, baud))
                })
            }
        }
    }

    /// [`Self::open`] with a fallback ([`Self::with_fallback`]), which does all work where the
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
                Self::absent(name, &reason)
            }
            other => other?,
        };
        Ok(device.with_fallback(fallback))
    }

    /// Opens a card behind whatever this connects to. [`Self::reopen`] connects to it again.
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
                    tracing::warn!(device = name, %error, "the card is opened again");
                    tries += 1;
                }
                Err(error) => return Err(unavailable(name, &error)),
            }
        }
    }

    /// A card that is not there, and why; its fallback does everything.
    fn absent(name: &str, reason: &str) -> Self {
        Self::new(Registry::default(), Capabilities::of_absent(name, reason))
    }

    /// A device over a card that has been opened already.
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

    /// A device of this name over any place to run, by its executors.
    pub fn with_executors(name: &str, executors: Registry, options: &Options) -> Self {
        let capabilities = Capabilities::new(name, Kind::Custom, executors.engines());
        Self { retries: options.retries, ..Self::new(executors, capabilities) }
    }

    /// This processor, unless a backend is asked for that it does not have.
    fn processor(name: &str) -> Result<Self, DeviceError> {
        match halimede_arith::Backend::chosen() {
            Ok(_) => Ok(Self::cpu()),
            Err(error) => Err(DeviceError::of_backend(name, &error)),
        }
    }

    /// This processor. Where the environment asks for a backend that is not here, it answers every
    /// job with [`DeviceError::Unavailable`], as [`Self::open`] does at once.
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
            images,
            notices,
            fallback,
            retries: 0,
            phase: 0,
            capabilities,
        }
    }

    /// The same simulated card with further images; those that have been built are among its
    /// capabilities.
    fn with_images(mut self, images: Vec<Lazy<Self>>) -> Self {
        for image in images.iter().filter(|image| image.is_here()) {
            let engines = self.engines_of(image);
            self.capabilities.engines.extend(engines);
        }
        Self { images, ..self }
    }

    /// The same with the fallback and the notices of the device that it is a part of.
    pub(crate) fn behind(self, whole: &Self) -> Self {
        let (notices, fallback) = (Arc::clone(&whole.notices), whole.fallback.clone());
        Self { notices, fallback, ..self }
    }

    /// The same device, with another that answers the requests which this one cannot do or has
    /// failed at. Each request is answered once; [`halimede_arith::job::Timing`] counts those
    /// that the other answered.
    #[must_use]
    pub fn with_fallback(mut self, fallback: Device) -> Self {
        self.capabilities.fallback = Some(fallback.name().to_owned());
        self.fallback = Some(Arc::new(fallback));
        self
    }

    /// Why the device answers nothing any more, where it is a card that was given up.
    pub fn failure(&self) -> Option<CardFailure> {
        self.opened_parts().find_map(|(_, card)| card.failure())
    }

    /// Whether [`Self::reopen`] can open the device again.
    pub fn can_reopen(&self) -> bool {
        self.link.is_some() && self.failure().is_none_or(|failure| !failure.is_distrusted)
    }

    /// Opens a card that was given up again; a device that has not failed stays as it is. The
    /// caller chooses when: each try may take two time limits.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] where the card does not answer, has answered wrongly before, or
    /// is another one now.
    pub fn reopen(&self) -> Result<(), DeviceError> {
        for (part, card) in self.opened_parts() {
            let Some(CardFailure { reason, .. }) = card.failure() else { continue };
            let Some(link) = &part.link else {
                let device = self.name().to_owned();
                return Err(DeviceError::Unavailable { device, reason });
            };
            let mut link = link.lock().unwrap_or_else(PoisonError::into_inner);
            card.reopen(&mut **link).map_err(|error| unavailable(self.name(), &error))?;
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

    /// The same, by whether it can fail in the middle of a batch.
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

    /// The limits of an operation: how much work to ask for at once.
    pub fn limits<Op: Operation>(&self) -> Limits {
        Execute::<Op>::limits(self)
    }

    /// The error for an operation without an executor.
    pub(crate) fn lacks<Op: Operation>(&self) -> DeviceError {
        self.lacks_operation(Op::NAME, "the device does not have the operation")
    }

    /// The same for an operation by its name, and why the device lacks it.
    pub(crate) fn lacks_operation(&self, operation: &'static str, why: &str) -> DeviceError {
        let device = self.name().to_owned();
        match self.capabilities.absent.clone() {
            Some(reason) => DeviceError::Unavailable { device, reason },
            None => DeviceError::Unsupported { device, operation, reason: why.into() },
        }
    }

    /// The device as the user named it.
    pub fn name(&self) -> &str {
        &self.capabilities.device
    }

    /// The capabilities of the device itself, without its fallback.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// The card, where the device is one: for its status and registers.
    pub fn card(&self) -> Option<&Card> {
        self.card.as_deref()
    }
}

fn boxed<T: Transport + 'static>(
    transport: Result<T, CardError>,
) -> Result<Box<dyn Transport>, CardError> {
    transport.map(|transport| Box::new(transport) as _)
}

/// That a device is not there, or does not answer.
pub(crate) fn unavailable(name: &str, error: &CardError) -> DeviceError {
    DeviceError::Unavailable { device: name.to_owned(), reason: error.to_string() }
}
