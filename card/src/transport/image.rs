// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The images of the simulated card. Each has some of the engines, simulated together in one
//! program.

use std::path::{Path, PathBuf};

use crate::error::CardError;
use crate::spec::Capability;

/// The file name of the default image's simulator.
pub const SIMULATOR: &str = "halimede-card-sim";

/// The folder of a build's simulators, below the root of the project.
const BUILT_SIMULATORS: &str = "build/card-sim";

/// An image of the simulated card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Image(Option<&'static str>);

impl Image {
    /// Every image, the default one first.
    pub fn all() -> Vec<Self> {
        let mut images = vec![Self::default()];
        for image in Capability::ALL.map(Self::of) {
            if !images.contains(&image) {
                images.push(image);
            }
        }
        images
    }

    /// Returns the image that has an engine.
    pub fn of(engine: Capability) -> Self {
        Self(engine.simulator())
    }

    /// Returns the name: `default`, `memory`, or the name of the only engine.
    pub fn name(self) -> &'static str {
        self.0.unwrap_or("default")
    }

    /// Returns the image with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|image| image.name() == name)
    }

    /// Returns the engines of the image.
    pub fn engines(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.into_iter().filter(move |engine| Self::of(*engine) == self)
    }

    /// Returns the file name of the simulator.
    pub fn file_name(self) -> String {
        self.0.map_or_else(|| SIMULATOR.to_owned(), |name| format!("{SIMULATOR}-{name}"))
    }

    /// Returns the environment variable with the path of the simulator.
    pub fn variable(self) -> String {
        match self.0 {
            Some(name) => format!("HALIMEDE_{}_CARD_SIM", name.to_ascii_uppercase()),
            None => "HALIMEDE_CARD_SIM".into(),
        }
    }

    /// Returns the path of the simulator: the value of [`Self::variable`], else the one next to the
    /// running program, else the one that a build left below the current directory or a parent of
    /// it.
    ///
    /// # Errors
    /// [`CardError::NotFound`] with a hint.
    pub fn find(self) -> Result<PathBuf, CardError> {
        find(&self.file_name(), &self.variable())
    }
}

/// Finds the simulator of this name. The variable can name another path.
fn find(name: &str, variable: &str) -> Result<PathBuf, CardError> {
    let not_found =
        |hint: String| CardError::NotFound { what: format!("the simulated card ({name})"), hint };
    if let Some(path) = std::env::var_os(variable).map(PathBuf::from) {
        if path.is_file() {
            return Ok(path);
        }
        let path = path.display();
        return Err(not_found(format!("{variable} names {path}, which is not a file")));
    }
    let program = std::env::current_exe().ok();
    let beside = program.as_deref().and_then(Path::parent).map(|parent| parent.join(name));
    let here = std::env::current_dir().unwrap_or_default();
    let built = here.ancestors().map(|folder| folder.join(BUILT_SIMULATORS).join(name));
    beside.into_iter().chain(built).find(|path| path.is_file()).ok_or_else(|| {
        not_found(format!(
            "build it with `make card-sim` in the project's folder, or set {variable} to its path"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_in_one_image() {
        let images = Image::all();
        assert_eq!(images[0], Image::default());
        let engines: Vec<_> = images.iter().flat_map(|image| image.engines()).collect();
        assert_eq!(engines.len(), Capability::ALL.len());
        assert!(Capability::ALL.iter().all(|engine| engines.contains(engine)));
        for image in &images {
            assert_eq!(Image::named(image.name()), Some(*image));
            assert_eq!(images.iter().filter(|other| other.name() == image.name()).count(), 1);
        }
        assert_eq!(Image::named("none"), None);
    }

    #[test]
    fn an_image_has_the_name_in_its_program_and_variable() {
        let default = Image::default();
        let names = (default.file_name(), default.variable());
        assert_eq!(names, ("halimede-card-sim".into(), "HALIMEDE_CARD_SIM".into()));
        let memory = Image::named("memory").unwrap();
        let names = (memory.file_name(), memory.variable());
        let expected = ("halimede-card-sim-memory", "HALIMEDE_MEMORY_CARD_SIM");
        assert_eq!(names, (expected.0.into(), expected.1.into()));
    }
}
