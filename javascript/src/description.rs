// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Descriptions of files of CKKS.

use halimede_ckks::files::{expect_end, FileKind, FileReader};
use js_sys::{Array, Object, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::arguments::{object, secret_bytes, wrong};
use crate::parameters::{parameters_of, ReadOptions};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = "
/** The public content of a file of CKKS. */
export interface Description {
    /** The kind of file, such as `a ciphertext`. */
    kind: string;
    /** The name of the parameters, and the hash that identifies them. */
    parameters: string;
    hash: string;
    /** The identifier of the secret key. */
    id?: string;
    /** Of a ciphertext: its level, the number of values, and the bits of precision. */
    level?: number;
    length?: number;
    precisionBits?: number;
    /** The declared bound: the largest absolute value, or an interval of real values. */
    bound?: number | [number, number];
}
";

#[wasm_bindgen]
extern "C" {
    /// `Description`.
    #[wasm_bindgen(typescript_type = "Description")]
    pub type Description;
}

/// Describes a file of parameters, a key or a ciphertext, after a check of its whole content.
#[wasm_bindgen]
pub fn describe(bytes: &Uint8Array, options: Option<ReadOptions>) -> Result<Description, JsError> {
    let bytes = secret_bytes(bytes);
    let mut input = &bytes[..];
    let reader = FileReader::new(&mut input)?;
    let kind = reader.header().kind();
    let parameters = parameters_of(reader.header(), options)?;
    let described = object([
        ("kind", kind.to_string().into()),
        ("parameters", parameters.name().into()),
        ("hash", parameters.hash().to_string().into()),
    ]);
    let more: Object = match kind {
        FileKind::SecretKey => of_key(reader.secret_key(&parameters)?.id()),
        FileKind::PublicKey => of_key(reader.public_key(&parameters)?.owner()),
        FileKind::EvaluationKeys => {
            let mut keys = reader.keys(&parameters)?;
            while keys.next_use()?.is_some() {}
            of_key(keys.owner())
        }
        FileKind::Ciphertext => {
            let ciphertext = reader.ciphertext(&parameters)?;
            let bound = match ciphertext.bound().interval() {
                Some((low, high)) => Array::of2(&low.into(), &high.into()).into(),
                None => ciphertext.bound().magnitude().into(),
            };
            object([
                ("id", ciphertext.owner().to_string().into()),
                ("level", ciphertext.level().into()),
                ("length", ciphertext.length().into()),
                ("precisionBits", ciphertext.precision_bits().into()),
                ("bound", bound),
            ])
        }
        FileKind::Parameters => Object::new(),
        FileKind::Checkpoint | FileKind::Interface | FileKind::Session | FileKind::Party => {
            return Err(wrong("bytes", format!("parameters, a key or a ciphertext, got {kind}")));
        }
    };
    expect_end(input)?;
    Ok(Object::assign(&described, &more).unchecked_into())
}

fn of_key(id: impl ToString) -> Object {
    object([("id", id.to_string().into())])
}
