// SPDX-License-Identifier: Apache-2.0 OR MIT
// Hashes, with the vectors of the Rust tests.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bytesOf, halimede, hexadecimalOf, textOf } from "./helpers.js";

const { Blake3, blake3 } = halimede;

test("BLAKE3 has the official answers, in one piece and in several", () => {
    const { cases, key, context_string: context } = JSON.parse(
        textOf("engines", "blake3", "vectors", "blake3.json"),
    );
    assert.ok(cases.length > 30);
    for (const { input_len: length, hash, keyed_hash: keyed, derive_key: derived } of cases) {
        const input = Uint8Array.from({ length }, (_, at) => at % 251);
        assert.equal(hexadecimalOf(blake3(input)), hash.slice(0, 64));
        const hashers = [
            [() => new Blake3(), hash],
            [() => Blake3.keyed(new TextEncoder().encode(key)), keyed],
            [() => Blake3.deriveKey(context), derived],
        ];
        for (const [start, expected] of hashers) {
            const hasher = start();
            for (let at = 0; at < length; at += 777) hasher.update(input.subarray(at, at + 777));
            assert.equal(hexadecimalOf(hasher.digest(expected.length / 2)), expected);
            assert.equal(hexadecimalOf(hasher.digest()), expected.slice(0, 64));
            hasher.free();
        }
    }
    assert.throws(() => Blake3.keyed(new Uint8Array(31)), /expected 32 bytes, got 31/);
    assert.throws(() => new Blake3().digest(2 ** 30), /at most/);
});

test("circom's Poseidon has the published answers", () => {
    const cases = JSON.parse(textOf("engines", "poseidon", "vectors", "circom.json"));
    const hashes = cases.filter(({ kind }) => kind === "circom");
    assert.ok(hashes.length > 5);
    for (const { input, output } of hashes) {
        assert.equal(halimede.poseidonCircom(input.map(BigInt)), BigInt(output[0]));
    }
});

test("Starknet's and Filecoin's Poseidon have the published answers", () => {
    const vectors = JSON.parse(textOf("engines", "poseidon", "vectors", "poseidon.json"));
    const functions = {
        poseidon_hash: (input) => halimede.poseidonStarknetPair(...input),
        poseidon_hash_many: (input) => halimede.poseidonStarknet(input),
    };
    let count = 0;
    for (const { fn, input, output } of vectors.starknet_hash.vectors) {
        if (!(fn in functions)) continue;
        assert.equal(functions[fn](input.map(BigInt)), BigInt(output), fn);
        count += 1;
    }
    for (const { hash_type: type, strength, input, digest } of vectors.filecoin_poseidon.vectors) {
        if (type !== "MerkleTree") continue;
        const options = { strength: strength.toLowerCase() };
        assert.equal(halimede.poseidonFilecoin(input.map(BigInt), options), BigInt(digest));
        count += 1;
    }
    assert.ok(count > 14, `${count} vectors`);
});

test("elements that are not below the modulus, or not numbers, are refused", () => {
    const modulus = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
    const { poseidonFilecoin, poseidonStarknet, poseidonStarknetPair } = halimede;
    assert.equal(typeof poseidonFilecoin([modulus - 1n, 0n]), "bigint");
    for (const elements of [[modulus, 0n], [-1n, 0n], [1, 2], ["1", "2"], [2n ** 300n, 0n], "12"]) {
        assert.throws(() => poseidonFilecoin(elements), /elements/);
    }
    assert.throws(() => poseidonFilecoin([1n]), /2\.\.=36/);
    assert.throws(() => poseidonStarknetPair(1n, 2), /element 1/);
    assert.notEqual(poseidonStarknet([1n, 2n]), poseidonStarknet([2n, 1n]));
    assert.notEqual(poseidonStarknet([1n]), poseidonStarknet([1n, 0n]));
    const [standard, strengthened] = ["standard", "strengthened"].map((strength) =>
        poseidonFilecoin([1n, 2n], { strength }));
    assert.equal(standard, poseidonFilecoin([1n, 2n]));
    assert.notEqual(standard, strengthened);
    assert.throws(() => poseidonFilecoin([1n, 2n], { strength: "weak" }), /standard or strengthened/);
});

test("bytes of every kind of view are read from their place", () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, at) => at % 251);
    const view = new Uint8Array(bytes.buffer, 7, 200);
    assert.deepEqual(blake3(view), blake3(bytes.slice(7, 207)));
    assert.equal(hexadecimalOf(blake3(bytesOf("00"))), hexadecimalOf(blake3(new Uint8Array(1))));
});
