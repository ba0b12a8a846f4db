// SPDX-License-Identifier: Apache-2.0 OR MIT
/**
 * The client's side of Halimede in WebAssembly: CKKS keys, encryption and decryption, hashes and
 * verifiers.
 *
 * ```js
 * import { load } from "@halimede/client";
 *
 * const { Client, Parameters } = await load();
 * const client = Client.create(Parameters.preset("n14"));
 * const ciphertext = client.encrypt([0.5, -1.25], { bound: 2 });
 * console.log(client.decrypt(ciphertext)); // 0.5, -1.25, with an error below 1e-8
 * client.free(); // wipes the secret key
 * ```
 */

export type {
    Blake3,
    BlsOptions,
    Client,
    Description,
    EncryptOptions,
    FilecoinOptions,
    KeyOptions,
    NetworkClient,
    Numbers,
    Output,
    Parameters,
    PublicKey,
    ReadOptions,
    Shared,
    Statement,
} from "./wasm/halimede.js";
export { load, moduleUrl } from "./module.js";
export type { Halimede, Source } from "./module.js";
export { Service, ServiceError } from "./service.js";
export type { Answer, ServiceOptions } from "./service.js";
