// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An open device.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use halimede_arith::job::DeviceError;
use halimede_card::transport::{Connect, Simulated, Socket, Transport, Uart, Xdma};
use halimede_card::{Card, CardError, CardOptions};

use crate::capabilities::Capabilities;
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
#[derive(Debug)]
pub struct Device {
    pub(crate) backend: Backend,
    pub(crate) fallback: Option<Box<Device>>,
    /// How often a card is tried again after a failure.
    pub(crate) retries: usize,
    capabilities: Capabilities,
}

/// What executes.
#[derive(Debug)]
pub(crate) enum Backend {
    Processor,
    Card(Box<Card>),
    /// A card that could not be opened, and why.
    Absent(String),
}

impl Device {
    /// Opens the device of this name; see the [crate's](crate) table.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] where there is no such device, with what to do.
    pub fn open(name: &str) -> Result<Self, DeviceError> {
        Self::open_with(name, &Options::default())
    }

    /// Opens the device of this name with settings of its own. A card that does not answer is tried
    /// again as often as [`Options::retries`] says; it takes that many and two time limits at most.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(name: &str, options: &Options) -> Result<Self, DeviceError> {
        let specification = Specification::parse(name)?;
        let card_options = options.card(&specification);
        match specification {
            Specification::Cpu => Self::processor(name),
            Specification::Cuda(_) => {
                let reason = "this build has no GPU engine; use cpu".into();
                Err(DeviceError::Unavailable { device: name.into(), reason })
            }
            Specification::Simulated => {
                Self::open_card(name, card_options, options, |limit: Duration| {
                    boxed(Simulated::start(&options.simulator, limit))
                })
            }
            Specification::Socket(path) => {
                Self::open_card(name, card_options, options, |limit: Duration| {
                    boxed(Socket::connect(&path, limit))
                })
            }
            Specification::Xdma(prefix) => {
                Self::open_card(name, card_options, options, |_: Duration| {
                    boxed(Xdma::open(&prefix))
                })
            }
            Specification::Uart(path, baud) => {
                Self::open_card(name, card_options, options, |_: Duration| {
                    boxed(Uart::open(&path, baud))
                })
            }
        }
    }

    /// The same with a fallback ([`Self::with_fallback`]), which does everything where the device cannot
    /// be opened.
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
                Self::absent(name, reason)
            }
            other => other?,
        };
        Ok(device.with_fallback(fallback))
    }

    /// Opens a card behind whatever this connects to.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`].
    pub fn open_card(
        name: &str,
        card_options: CardOptions,
        options: &Options,
        mut link: impl Connect,
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
                Ok(card) => return Ok(Self::from_card(card, options)),
                Err(error) if tries < options.retries && error.is_passing() && !left.is_zero() => {
                    tracing::warn!(device = name, %error, "the card is opened again");
                    tries += 1;
                }
                Err(error) => return Err(unavailable(name, &error)),
            }
        }
    }

    /// A card that is not there, and why; its fallback does everything.
    fn absent(name: &str, reason: String) -> Self {
        Self {
            capabilities: Capabilities::of_absent(name, &reason),
            backend: Backend::Absent(reason),
            fallback: None,
            retries: 0,
        }
    }

    /// A device over a card that has been opened already.
    pub fn from_card(card: Card, options: &Options) -> Self {
        let capabilities = Capabilities::of_card(&card);
        Self {
            backend: Backend::Card(Box::new(card)),
            fallback: None,
            retries: options.retries,
            capabilities,
        }
    }

    /// This processor, unless a backend is asked for that it does not have.
    fn processor(name: &str) -> Result<Self, DeviceError> {
        match halimede_arith::Backend::chosen() {
            Ok(_) => Ok(Self::cpu()),
            Err(error) => Err(DeviceError::of_backend(name, &error)),
        }
    }

    /// This processor. Where the environment asks for a backend that is not here, it answers every job
    /// with [`DeviceError::Unavailable`], as [`Self::open`] does at once.
    pub fn cpu() -> Self {
        Self {
            backend: Backend::Processor,
            fallback: None,
            retries: 0,
            capabilities: Capabilities::of_processor("cpu"),
        }
    }

    /// The same device, with another that answers the requests which this one cannot do or has
    /// failed at. Each request is answered once; [`halimede_arith::job::Timing`] counts those
    /// that the other answered.
    #[must_use]
    pub fn with_fallback(mut self, fallback: Device) -> Self {
        self.capabilities.fallback = Some(fallback.name().to_owned());
        self.fallback = Some(Box::new(fallback));
        self
    }

    /// That what is computed on this processor is computed with the backend that the environment asks
    /// for. A card computes without one.
    pub(crate) fn check_backend(&self) -> Result<(), DeviceError> {
        match (&self.backend, halimede_arith::Backend::chosen()) {
            (Backend::Processor, Err(error)) => Err(DeviceError::of_backend(self.name(), &error)),
            _ => Ok(()),
        }
    }

    /// The device as the user named it.
    pub fn name(&self) -> &str {
        &self.capabilities.device
    }

    /// What the device itself can do, its fallback aside.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// The card, where the device is one: for its status and registers.
    pub fn card(&self) -> Option<&Card> {
        match &self.backend {
            Backend::Card(card) => Some(card),
            Backend::Processor | Backend::Absent(_) => None,
        }
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
