// SPDX-License-Identifier: Apache-2.0 OR MIT
// Functions that the tests share. They run in a folder where the packed package is installed.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { gunzipSync } from "node:zlib";

import { load } from "@halimede/client";

export const halimede = await load();

/** The source tree, for the vectors of the engines. */
const TREE = required("HALIMEDE_TREE");

function required(name) {
    const value = process.env[name];
    assert.ok(value, `${name} is not set: run \`make test-javascript\``);
    return value;
}

/** Returns the text of a file of the source tree, which may be compressed. */
export function textOf(...path) {
    const bytes = readFileSync(join(TREE, ...path));
    return (path.at(-1).endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
}

/** Returns the names in a folder of the source tree. */
export function namesIn(...path) {
    return readdirSync(join(TREE, ...path)).sort();
}

/** Returns an empty folder that is removed after the tests of a file. */
export function emptyFolder() {
    const folder = mkdtempSync(join(tmpdir(), "halimede-"));
    after(() => rmSync(folder, { recursive: true }));
    return folder;
}

/** Runs the other side, in Rust (javascript/examples/peer.rs). */
export function peer(command, folder) {
    execFileSync(required("HALIMEDE_PEER"), [command, folder], { timeout: 300_000 });
}

export function bytesOf(hexadecimal) {
    return new Uint8Array(Buffer.from(hexadecimal.replace(/^0x/, ""), "hex"));
}

export function hexadecimalOf(bytes) {
    return Buffer.from(bytes).toString("hex");
}

/** Returns the file's 64-bit floats. */
export function numbersIn(path) {
    const bytes = readFileSync(path);
    return new Float64Array(new Uint8Array(bytes).buffer);
}

/** Checks that vectors differ by at most `most`. */
export function assertClose(got, expected, most) {
    assert.equal(got.length, expected.length);
    for (const [at, value] of got.entries()) {
        const difference = Math.abs(value - expected[at]);
        assert.ok(difference <= most, `value ${at}: ${value}, expected ${expected[at]}`);
    }
}
