// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede card sim`: lists the images of the simulated card.

use halimede_device::simulator::Image;
use serde_json::{json, Value};

use crate::error::CommandError;
use crate::output::{print_line, print_table};

/// Lists the images with their engines and simulators, or how to get a missing simulator.
pub fn run(json: bool) -> Result<(), CommandError> {
    let images = Image::all();
    let engines = |image: Image| image.engines().map(|engine| engine.name()).collect::<Vec<_>>();
    if json {
        let entry = |image: Image| {
            let program = image.find().ok();
            let program = program.map_or(Value::Null, |path| json!(path.display().to_string()));
            json!({ "image": image.name(), "engines": engines(image), "simulator": program })
        };
        let images: Vec<Value> = images.into_iter().map(entry).collect();
        return print_line(&json!({ "images": images }).to_string());
    }
    let row = |image: Image| {
        let simulator = match image.find() {
            Ok(path) => path.display().to_string(),
            Err(error) => error.to_string(),
        };
        vec![image.name().to_owned(), engines(image).join(", "), simulator]
    };
    print_table(
        &["image", "engines", "simulator"],
        &images.into_iter().map(row).collect::<Vec<_>>(),
    )
}
