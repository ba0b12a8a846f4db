// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client of a neural network, from the network's interface file.

use halimede_ckks::files::{expect_end, FileReader, KeyWriter};
use halimede_ckks::Client as CkksClient;
use halimede_ckks_nn::compile::{Interface, MOST_KEY_BYTES};
use halimede_ckks_nn::{Ciphertexts, Label, NetworkClient as Inner};
use js_sys::{Array, Float64Array, Object, Uint8Array};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::arguments::{object, secret_numbers};
use crate::client::{client_of, secret_key_of, Numbers};
use crate::parameters::{parameters_of, ReadOptions};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = "
/** A network's answer. */
export interface Output {
    /** The values, after the network's post-processing. */
    values: Float64Array;
    /** The decrypted values, before it. */
    scores: Float64Array;
    /** The labels that the network states. */
    labels: (number | string)[];
    /** The class: the first label, or the place of the largest of several values. */
    class?: number | string;
}
";

#[wasm_bindgen]
extern "C" {
    /// `Output`.
    #[wasm_bindgen(typescript_type = "Output")]
    pub type Output;
}

/// The holder of a secret key, with the interface of a network. `free()` wipes the key.
#[wasm_bindgen]
pub struct NetworkClient {
    inner: Inner,
    interface: Interface,
}

#[wasm_bindgen]
impl NetworkClient {
    /// Creates a client with a new secret key for the network of an interface file.
    pub fn create(
        interface_file: &Uint8Array,
        options: Option<ReadOptions>,
    ) -> Result<NetworkClient, JsError> {
        let interface = interface_of(interface_file, options)?;
        let inner = Inner::new(&interface)?;
        Ok(Self { inner, interface })
    }

    /// Creates a client with the secret key of a file.
    #[wasm_bindgen(js_name = fromSecretKey)]
    pub fn from_secret_key(
        interface_file: &Uint8Array,
        key: &Uint8Array,
        options: Option<ReadOptions>,
    ) -> Result<NetworkClient, JsError> {
        let options: JsValue = options.into();
        let options = || Some(options.clone().unchecked_into());
        let interface = interface_of(interface_file, options())?;
        let client: CkksClient = client_of(key, options())?;
        let (ours, theirs) = (client.parameters(), interface.parameters());
        if !ours.is_compatible(theirs) {
            let (ours, theirs) = (ours.name(), theirs.name());
            let text = format!("the key is for the parameters {ours}, the network for {theirs}");
            return Err(JsError::new(&text));
        }
        Ok(Self { inner: Inner::with_client(&interface, client), interface })
    }

    /// Returns the content of a file of the secret key, which decrypts everything.
    #[wasm_bindgen(js_name = secretKey)]
    pub fn secret_key(&mut self) -> Result<Uint8Array, JsError> {
        secret_key_of(self.inner.client())
    }

    /// Returns the content of a file of the evaluation keys that the network needs.
    #[wasm_bindgen(js_name = evaluationKeys)]
    pub fn evaluation_keys(&mut self) -> Result<Uint8Array, JsError> {
        let (parameters, client) = (self.interface.parameters(), self.inner.client());
        let mut writer = KeyWriter::new(Vec::new(), parameters, client.secret().id())?;
        for (of, level) in self.interface.keys() {
            writer.write(*of, &client.evaluation_key(*of, *level), *level)?;
        }
        Ok(Uint8Array::from(&writer.finish()?[..]))
    }

    /// Encrypts an input. Returns the content of a file of its ciphertexts.
    pub fn encrypt(&mut self, values: &Numbers) -> Result<Uint8Array, JsError> {
        let values = secret_numbers(values)?;
        let mut bytes = Vec::new();
        self.inner.encrypt(&values)?.save(&mut bytes, self.interface.parameters())?;
        Ok(Uint8Array::from(&bytes[..]))
    }

    /// Decrypts a result and checks its guard, for the owner of the key only.
    pub fn decrypt(&self, result: &Uint8Array) -> Result<Output, JsError> {
        let bytes = result.to_vec();
        let mut input = &bytes[..];
        let result = Ciphertexts::load(&mut input, self.interface.parameters())?;
        expect_end(input)?;
        let output = self.inner.decrypt(&result)?;
        let class = output.class().map_or(JsValue::UNDEFINED, |class| label(&class));
        let (values, scores) = (Zeroizing::new(output.values), Zeroizing::new(output.scores));
        let answer: Object = object([
            ("values", Float64Array::from(&values[..]).into()),
            ("scores", Float64Array::from(&scores[..]).into()),
            ("labels", output.labels.iter().map(label).collect::<Array>().into()),
            ("class", class),
        ]);
        Ok(answer.unchecked_into())
    }

    /// The shape of an input.
    #[wasm_bindgen(getter, js_name = inputShape)]
    pub fn input_shape(&self) -> Vec<u32> {
        self.interface.input_shape().axes().iter().map(|axis| *axis as u32).collect()
    }

    /// The range in which the values of an input must lie.
    #[wasm_bindgen(getter, js_name = inputRange)]
    pub fn input_range(&self) -> Vec<f64> {
        let range = self.interface.input_range();
        vec![range.low, range.high]
    }

    /// The size of the evaluation keys in a server's memory, in bytes.
    #[wasm_bindgen(getter, js_name = keyBytes)]
    pub fn key_bytes(&self) -> f64 {
        self.interface.key_bytes() as f64
    }
}

/// Reads the interface of a file whose keys fit into memory.
fn interface_of(bytes: &Uint8Array, options: Option<ReadOptions>) -> Result<Interface, JsError> {
    let bytes = bytes.to_vec();
    let mut input = &bytes[..];
    let reader = FileReader::new(&mut input)?;
    let parameters = parameters_of(reader.header(), options)?;
    let interface = Interface::read(reader, &parameters)?.with_keys_within(MOST_KEY_BYTES)?;
    expect_end(input)?;
    Ok(interface)
}

fn label(label: &Label) -> JsValue {
    match label {
        Label::Integer(number) => JsValue::from_f64(*number as f64),
        Label::Text(text) => JsValue::from_str(text),
    }
}
