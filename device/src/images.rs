// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One simulated card for the caller. Its engines are in several images, each with a simulator of its
//! own: the first one is started with the device, the others when an engine of theirs is asked for.

use std::sync::{Mutex, OnceLock, PoisonError};

use halimede_card::transport::Image;

use crate::options::Options;

/// An image of which a `D` is opened when it is needed.
pub(crate) struct Lazy<D> {
    image: Image,
    options: Options,
    opened: OnceLock<D>,
    /// Held by whoever opens it.
    opening: Mutex<()>,
}

/// The image that a device with these options starts at once, and those that it starts when they are
/// needed: none where the options name an image, a program or engines, or ask for a trace. The first
/// one is the default, or another that has been built where the default has not.
pub(crate) fn of<D>(options: &Options) -> (Image, Vec<Lazy<D>>) {
    let simulator = &options.simulator;
    let is_named = simulator.image != Image::default() || simulator.program.is_some();
    if is_named || simulator.engines.is_some() || simulator.trace.is_some() {
        return (simulator.image, Vec::new());
    }
    let mut images = Image::all();
    let first = images.iter().position(|image| image.find().is_ok()).unwrap_or_default();
    let first = images.remove(first);
    (first, images.into_iter().map(|image| Lazy::new(image, options)).collect())
}

impl<D> Lazy<D> {
    fn new(image: Image, options: &Options) -> Self {
        let mut options = options.clone();
        options.simulator.image = image;
        Self { image, options, opened: OnceLock::new(), opening: Mutex::new(()) }
    }

    /// The image.
    pub fn image(&self) -> Image {
        self.image
    }

    /// Whether its simulator has been built.
    pub fn is_here(&self) -> bool {
        self.image.find().is_ok()
    }

    /// Whether it has the engine of this name.
    pub fn has(&self, engine: &str) -> bool {
        self.image.engines().any(|other| other.name() == engine)
    }

    /// What is opened, which `open` does where it has not been.
    ///
    /// # Errors
    /// Those of `open`, which the next call asks again.
    pub fn get<E>(&self, open: impl FnOnce(&Options) -> Result<D, E>) -> Result<&D, E> {
        if let Some(opened) = self.opened() {
            return Ok(opened);
        }
        let _one = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have opened it meanwhile.
        if let Some(opened) = self.opened() {
            return Ok(opened);
        }
        let opened = open(&self.options)?;
        Ok(self.opened.get_or_init(|| opened))
    }

    /// What has been opened.
    pub fn opened(&self) -> Option<&D> {
        self.opened.get()
    }
}
