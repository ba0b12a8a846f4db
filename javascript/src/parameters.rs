// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parameters of CKKS.

use halimede_ckks::files::{FileReader, Header};
use halimede_ckks::FileError;
use halimede_ckks::Parameters as CkksParameters;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use crate::arguments::Options;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = "
/** Options of functions that read files. */
export interface ReadOptions {
    /** Accepts parameters without security. Only for tests; the default is `false`. */
    insecure?: boolean;
}
";

#[wasm_bindgen]
extern "C" {
    /// `ReadOptions`.
    #[wasm_bindgen(typescript_type = "ReadOptions")]
    pub type ReadOptions;
}

/// Parameters of CKKS.
#[wasm_bindgen]
pub struct Parameters {
    pub(crate) inner: CkksParameters,
}

#[wasm_bindgen]
impl Parameters {
    /// Returns the parameter set with this name, such as `n14`.
    pub fn preset(name: &str) -> Result<Parameters, JsError> {
        Ok(Self { inner: CkksParameters::preset(name)? })
    }

    /// Returns the names of all parameter sets. Those named insecure are for tests.
    pub fn presets() -> Vec<String> {
        CkksParameters::presets().map(str::to_owned).collect()
    }

    /// Reads the parameters of a file of any kind: of parameters, a key or a ciphertext.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(
        bytes: &Uint8Array,
        options: Option<ReadOptions>,
    ) -> Result<Parameters, JsError> {
        let bytes = crate::arguments::secret_bytes(bytes);
        let inner = parameters_of(FileReader::new(&bytes[..])?.header(), options)?;
        Ok(Self { inner })
    }

    /// Returns the content of a file of parameters.
    #[wasm_bindgen(js_name = toBytes)]
    pub fn to_bytes(&self) -> Result<Uint8Array, JsError> {
        let mut bytes = Vec::new();
        self.inner.save(&mut bytes)?;
        Ok(Uint8Array::from(&bytes[..]))
    }

    /// The name.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.inner.name().to_owned()
    }

    /// The hash that identifies the parameters in files, in hexadecimal.
    #[wasm_bindgen(getter)]
    pub fn hash(&self) -> String {
        self.inner.hash().to_string()
    }

    /// The largest number of values of a vector.
    #[wasm_bindgen(getter)]
    pub fn slots(&self) -> usize {
        self.inner.slots()
    }

    /// The level of a fresh ciphertext: the number of products one after another.
    #[wasm_bindgen(getter)]
    pub fn levels(&self) -> usize {
        self.inner.fresh_level()
    }

    /// The classical security in bits; `undefined` for insecure parameters.
    #[wasm_bindgen(getter, js_name = securityBits)]
    pub fn security_bits(&self) -> Option<u32> {
        self.inner.security_bits()
    }
}

/// Returns the parameters of a header.
///
/// # Errors
/// [`FileError::Insecure`] for insecure parameters unless the options allow them.
pub fn parameters_of(
    header: &Header,
    options: Option<ReadOptions>,
) -> Result<CkksParameters, JsError> {
    let options: JsValue = options.into();
    let is_insecure = Options::new(&options, &["insecure"])?.is_set("insecure")?;
    let read: Result<_, FileError> =
        if is_insecure { header.insecure_parameters() } else { header.parameters() };
    Ok(read?)
}
