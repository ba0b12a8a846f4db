// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sets the soname of the shared library, and keeps the library in memory once loaded.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") == "linux" {
        // Before 1.0 a minor version may change the interface.
        let (major, minor) = ("CARGO_PKG_VERSION_MAJOR", "CARGO_PKG_VERSION_MINOR");
        let name = format!("libhalimede_secp256k1.so.{}.{}", variable(major), variable(minor));
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}");
        // The threads of its pool run its code until the process ends.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
