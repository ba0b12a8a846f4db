// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One simulated card for the caller. Its engines are in several images, each with its own
//! simulator. The first image starts with the device, the others at the first use of one of their
//! engines.

use std::sync::{Mutex, OnceLock, PoisonError};

use halimede_card::transport::Image;

use crate::options::Options;

/// An image for which a `D` is opened at its first use.
pub(crate) struct Lazy<D> {
    image: Image,
    options: Options,
    opened: OnceLock<D>,
    /// Held by the thread that opens it.
    opening: Mutex<()>,
}

/// Returns the image that a device with these options starts at once, and the images that it starts
/// when they are needed: none if the options name an image, a program or engines, or request a
/// trace. The first image is the default, or else one that has been built.
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

    /// Returns `true` if its simulator has been built.
    pub fn is_here(&self) -> bool {
        self.image.find().is_ok()
    }

    /// Returns `true` if it has the engine with this name.
    pub fn has(&self, engine: &str) -> bool {
        self.image.engines().any(|other| other.name() == engine)
    }

    /// Returns the opened `D`; calls `open` if it has not been opened.
    ///
    /// # Errors
    /// The errors of `open`. The next call tries again.
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

    /// Returns the `D` if it has been opened.
    pub fn opened(&self) -> Option<&D> {
        self.opened.get()
    }
}
