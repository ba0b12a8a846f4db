// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An open device.

use std::sync::{Arc, OnceLock};

use halimede_arith::job::DeviceError;
use halimede_card::transport::{Simulated, Socket, Transport, Uart, Xdma};
use halimede_card::{Card, CardError};

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
}

impl Device {
    /// Opens the device of this name; see the [crate's](crate) table.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] where there is no such device, with what to do.
    pub fn open(name: &str) -> Result<Self, DeviceError> {
        Self::open_with(name, &Options::default())
    }

    /// Opens the device of this name with settings of its own.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_with(name: &str, options: &Options) -> Result<Self, DeviceError> {
        let specification = Specification::parse(name)?;
        let card_options = options.card(&specification);
        let transport = match specification {
            Specification::Cpu => return Self::processor(name),
            Specification::Cuda(_) => {
                let reason = "this build has no GPU engine; use cpu".into();
                return Err(DeviceError::Unavailable { device: name.into(), reason });
            }
            Specification::Simulated => boxed(Simulated::start(&options.simulator)),
            Specification::Socket(path) => boxed(Socket::connect(&path)),
            Specification::Xdma(prefix) => boxed(Xdma::open(&prefix)),
            Specification::Uart(path, baud) => boxed(Uart::open(&path, baud)),
        };
        let card = transport
            .and_then(|transport| Card::open(name, transport, card_options))
            .map_err(|error| unavailable(name, &error))?;
        Ok(Self::from_card(card, options))
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
            Backend::Processor => None,
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
