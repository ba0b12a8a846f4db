// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Images of 32 × 32 pixels, as inputs of a residual network.

use std::error::Error;
use std::path::{Path, PathBuf};

use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

/// Rows and columns of an image.
const SIZE: usize = 32;
/// Mean and deviation of each color in the images with which the network was trained.
const MEANS: [f64; 3] = [0.4914, 0.4822, 0.4465];
const DEVIATIONS: [f64; 3] = [0.2023, 0.1994, 0.2010];

/// An image as an input of the network, and its class.
pub struct Image {
    pub values: Vec<f64>,
    pub class: usize,
}

/// Returns the images of a folder that has a folder of JPEG files for each class, in alphabetic
/// order, alternating between the classes.
pub fn read_images(folder: &Path) -> Result<Vec<Image>, Box<dyn Error>> {
    let mut classes = Vec::new();
    for (class, folder) in entries(folder)?.iter().enumerate() {
        let read = |path: &PathBuf| Ok(Image { values: read_image(path)?, class });
        classes
            .push(entries(folder)?.iter().map(read).collect::<Result<Vec<_>, Box<dyn Error>>>()?);
    }
    let most = classes.iter().map(Vec::len).max().unwrap_or(0);
    let mut classes: Vec<_> = classes.into_iter().map(Vec::into_iter).collect();
    Ok((0..most)
        .flat_map(|_| classes.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>())
        .collect())
}

/// Returns the entries of a folder in alphabetic order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = folder.read_dir().map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// Returns the normalized colors of an image: channel by channel, row by row.
fn read_image(path: &Path) -> Result<Vec<f64>, Box<dyn Error>> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(std::fs::read(path)?, options);
    let wrong = |reason: String| format!("{}: {reason}", path.display());
    let pixels = decoder.decode().map_err(|error| wrong(error.to_string()))?;
    if decoder.dimensions() != Some((SIZE, SIZE)) || pixels.len() != 3 * SIZE * SIZE {
        return Err(wrong(format!("an image has {SIZE} × {SIZE} pixels")).into());
    }
    let mut values = Vec::new();
    for color in 0..3 {
        let channel = pixels.iter().skip(color).step_by(3);
        values.extend(
            channel.map(|value| (f64::from(*value) / 255.0 - MEANS[color]) / DEVIATIONS[color]),
        );
    }
    Ok(values)
}
