// SPDX-License-Identifier: Apache-2.0 OR MIT
// The package as it is published.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import * as client from "@halimede/client";

/** The largest module, in bytes. */
const MOST_BYTES = 3 << 20;

const folder = fileURLToPath(new URL("..", import.meta.resolve("@halimede/client")));
const files = readdirSync(folder, { recursive: true }).sort();

test("the package has the module, types, licenses and no dependencies", () => {
    for (const name of [
        "LICENSE-APACHE", "LICENSE-MIT", "README.md", "THIRD-PARTY-NOTICES.txt", "dist/index.d.ts",
        "dist/index.js", "dist/node.js", "dist/wasm/halimede.d.ts", "dist/wasm/halimede_bg.wasm",
    ]) {
        assert.ok(files.includes(name), `${name} is not in the package`);
    }
    assert.ok(!files.some((name) => /^(src|tests|node_modules)/.test(name)), files.join(" "));
    const { dependencies, scripts } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    assert.equal(dependencies, undefined);
    // Nothing runs when the package is installed.
    assert.deepEqual(Object.keys(scripts), ["build"]);
    const modules = files.filter((name) => name.endsWith(".wasm"));
    assert.equal(modules.length, 1);
    assert.ok(statSync(`${folder}/${modules[0]}`).size <= MOST_BYTES);
});

test("the module loads once, and from bytes", async () => {
    const first = await client.load();
    assert.equal(await client.load(), first);
    assert.equal(await client.load(readFileSync(client.moduleUrl())), first);
    assert.equal(typeof first.Client.prototype[Symbol.dispose], "function");
});
