// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a device: the device itself and the further images of a simulated card.

use halimede_arith::job::{DeviceError, Operation};
use halimede_card::Card;
use halimede_places::{card, Engine};

use crate::device::Device;
use crate::images::Lazy;

impl Device {
    /// Returns the card of an image, and starts it if it has not been started.
    fn start<'d>(&'d self, image: &'d Lazy<Self>) -> Result<&'d Self, DeviceError> {
        image.get(|options| Ok(Self::open_with(self.name(), options)?.behind(self)))
    }

    /// Returns the engines of an image: those of its card if it has been started, otherwise the
    /// engines with all operations that a card may have.
    pub(crate) fn engines_of(&self, image: &Lazy<Self>) -> Vec<Engine> {
        match image.opened() {
            Some(device) => device.capabilities().engines.clone(),
            None => card::engines_of_image(image.image(), self.executors()),
        }
    }

    /// Returns the part of the device that has an engine: for a simulated card the image, which is
    /// started if needed, otherwise the device itself.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if the image does not start.
    pub(crate) fn part(&self, engine: &str) -> Result<&Self, DeviceError> {
        match self.images.iter().find(|image| image.has(engine)) {
            Some(image) => self.start(image),
            None => Ok(self),
        }
    }

    /// Returns the part that has the engine of an operation.
    ///
    /// # Errors
    /// As [`Self::part`].
    pub(crate) fn part_with<Op: Operation>(&self) -> Result<&Self, DeviceError> {
        match self.images.is_empty() {
            true => Ok(self),
            false => self.part(Op::NAME.split('.').next().unwrap_or(Op::NAME)),
        }
    }

    /// Returns the parts of the device: the device itself, and the images that can be started.
    ///
    /// # Errors
    /// As [`Self::part`].
    pub(crate) fn parts(&self) -> Result<Vec<&Self>, DeviceError> {
        let images = self.images.iter().filter(|image| image.is_here());
        let images = images.map(|image| self.start(image));
        std::iter::once(Ok(self)).chain(images).collect()
    }

    /// Returns the engines of all parts. Starts all images; omits those that do not start.
    pub(crate) fn all_engines(&self) -> Vec<Engine> {
        let mut engines = self.own_engines();
        for image in self.images.iter().filter(|image| self.start(image).is_ok()) {
            engines.extend(self.engines_of(image));
        }
        engines
    }

    /// Returns the cards that have been started, each with its part of the device.
    pub(crate) fn opened_parts(&self) -> impl Iterator<Item = (&Self, &Card)> {
        let images = self.images.iter().filter_map(Lazy::opened);
        std::iter::once(self).chain(images).filter_map(|part| Some((part, part.card()?)))
    }
}
