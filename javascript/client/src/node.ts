// SPDX-License-Identifier: Apache-2.0 OR MIT
/** The package in Node, whose `fetch` does not read files. */

import { readFile } from "node:fs/promises";

import { type Halimede, load as loadModule, moduleUrl, type Source } from "./index.js";

export * from "./index.js";

/** Loads the module, by default from the package's file. */
export async function load(source?: Source): Promise<Halimede> {
    return loadModule(source ?? new Uint8Array(await readFile(moduleUrl())));
}
