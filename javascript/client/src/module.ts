// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Loads the WebAssembly module. */

import initialize, * as bindings from "./wasm/halimede.js";

/** The functions and classes of the loaded module. */
export type Halimede = Omit<typeof bindings, "default" | "initSync">;

/** Where the WebAssembly module comes from. */
export type Source =
    | URL
    | Response
    | Promise<Response>
    | ArrayBuffer
    | Uint8Array<ArrayBuffer>
    | WebAssembly.Module;

/** A function that returns a vector: only engines with SIMD128 accept it. */
const SIMD_MODULE = new Uint8Array([
    0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // magic number, version
    0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, // a type: () → v128
    0x03, 0x02, 0x01, 0x00, // a function of that type
    0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b, // i8x16.splat of 0
]);

/** Returns the address of the module, next to this file. */
export function moduleUrl(): URL {
    return new URL("./wasm/halimede_bg.wasm", import.meta.url);
}

/**
 * Loads the module, once: later calls return the same functions and classes. It needs SIMD128:
 * Chrome 96, Firefox 89, Safari 16.4, Node 20, or later.
 */
export async function load(source: Source = moduleUrl()): Promise<Halimede> {
    try {
        await initialize({ module_or_path: source });
    } catch (error) {
        if (WebAssembly.validate(SIMD_MODULE)) throw error;
        throw new Error("this JavaScript engine has no SIMD128; update it", { cause: error });
    }
    return bindings;
}
