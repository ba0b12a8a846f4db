// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a device: itself and, of a simulated card, its further images.

use halimede_arith::job::{DeviceError, Operation};
use halimede_card::Card;
use halimede_places::{card, Engine};

use crate::device::Device;
use crate::images::Lazy;

impl Device {
    /// The card of an image, started now where it has not been.
    fn start<'d>(&'d self, image: &'d Lazy<Self>) -> Result<&'d Self, DeviceError> {
        image.get(|options| Ok(Self::open_with(self.name(), options)?.behind(self)))
    }

    /// The engines of an image: as they are on its card, or the operations that a card may have of
    /// them where it has not been started.
    pub(crate) fn engines_of(&self, image: &Lazy<Self>) -> Vec<Engine> {
        match image.opened() {
            Some(device) => device.capabilities().engines.clone(),
            None => card::engines_of_image(image.image(), self.executors()),
        }
    }

    /// The part of the device that has an engine: of a simulated card the image, which is started
    /// where it has not been, and otherwise the device itself.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] where the image does not start.
    pub(crate) fn part(&self, engine: &str) -> Result<&Self, DeviceError> {
        match self.images.iter().find(|image| image.has(engine)) {
            Some(image) => self.start(image),
            None => Ok(self),
        }
    }

    /// The part that has the engine of an operation.
    ///
    /// # Errors
    /// As [`Self::part`].
    pub(crate) fn part_with<Op: Operation>(&self) -> Result<&Self, DeviceError> {
        match self.images.is_empty() {
            true => Ok(self),
            false => self.part(Op::NAME.split('.').next().unwrap_or(Op::NAME)),
        }
    }

    /// The parts of the device: itself, and the images that can be started.
    ///
    /// # Errors
    /// As [`Self::part`].
    pub(crate) fn parts(&self) -> Result<Vec<&Self>, DeviceError> {
        let images = self.images.iter().filter(|image| image.is_here());
        let images = images.map(|image| self.start(image));
        std::iter::once(Ok(self)).chain(images).collect()
    }

    /// The engines of all parts, of images as they are once they have been started; without those of
    /// an image that does not start.
    pub(crate) fn all_engines(&self) -> Vec<Engine> {
        let mut engines = self.own_engines();
        for image in self.images.iter().filter(|image| self.start(image).is_ok()) {
            engines.extend(self.engines_of(image));
        }
        engines
    }

    /// The cards that have been started, with the devices that they are parts of.
    pub(crate) fn opened_parts(&self) -> impl Iterator<Item = (&Self, &Card)> {
        let images = self.images.iter().filter_map(Lazy::opened);
        std::iter::once(self).chain(images).filter_map(|part| Some((part, part.card()?)))
    }
}
