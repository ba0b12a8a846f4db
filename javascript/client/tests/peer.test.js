// SPDX-License-Identifier: Apache-2.0 OR MIT
// Files between JavaScript and Rust, in both directions.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { assertClose, emptyFolder, halimede, numbersIn, peer } from "./helpers.js";

const { Client, NetworkClient, Parameters, PublicKey } = halimede;
const folder = emptyFolder();
const read = (name) => new Uint8Array(readFileSync(join(folder, name)));
const write = (name, bytes) => writeFileSync(join(folder, name), bytes);
peer("make", folder);

test("what Rust made is read here", () => {
    const client = Client.fromSecretKey(read("rust-secret.key"));
    assert.deepEqual(client.secretKey(), read("rust-secret.key"));
    const values = numbersIn(join(folder, "rust-values.f64"));
    assert.equal(values.length, 500);
    assertClose(client.decrypt(read("rust-by-secret.ct")), values, 1e-7);
    assertClose(client.decrypt(read("rust-by-public.ct")), values, 1e-6);
    const ours = PublicKey.fromBytes(read("rust-public.key")).encrypt(values, { bound: 4 });
    assertClose(client.decrypt(ours), values, 1e-6);
});

test("what is made here is read, and computed with, in Rust", () => {
    const client = Client.create(Parameters.preset("n14"));
    const values = Float64Array.from({ length: 512 }, (_, at) => Math.cos(at * 0.61) * 1.9);
    const network = NetworkClient.create(read("rust.interface"), { insecure: true });
    assert.deepEqual(Array.from(network.inputShape), [40]);
    const input = Float64Array.from({ length: 40 }, (_, at) => Math.sin(at * 0.7) / 2);
    write("js.params", client.parameters.toBytes());
    write("js-secret.key", client.secretKey());
    write("js-by-secret.ct", client.encrypt(values, { bound: 2 }));
    const key = PublicKey.fromBytes(client.publicKey());
    write("js-by-public.ct", key.encrypt(values, { bound: 2 }));
    write("js-evaluation.keys", client.evaluationKeys({ multiply: true, rotations: [1] }));
    write("js-network.keys", network.evaluationKeys());
    write("js-network.input", network.encrypt(input));
    peer("answer", folder);
    for (const name of ["js-by-secret", "js-by-public"]) {
        assertClose(numbersIn(join(folder, `${name}.f64`)), values, 1e-6);
    }
    const expected = values.map((x, at) => x * x + values[(at + 1) % values.length]);
    assertClose(client.decrypt(read("js-result.ct")), expected, 1e-5);
    const { values: scores, class: place, labels } = network.decrypt(read("js-network.result"));
    const bias = [0.5, -0.25, 0.125];
    const plain = bias.map((start, row) => {
        const weight = (at) => ((row + at) % 5) / 20;
        const sum = input.reduce((total, x, at) => total + weight(at) * x, start);
        return sum * sum + sum;
    });
    assertClose(scores, plain, 1e-4);
    assert.equal(place, plain.indexOf(Math.max(...plain)));
    assert.deepEqual(labels, []);
});

test("the key of another client, and wrong inputs of a network, are refused", () => {
    const file = read("rust.interface");
    assert.throws(() => NetworkClient.create(file), /insecure/i);
    assert.throws(() => halimede.describe(file, { insecure: true }), /got the interface of a network/);
    const network = NetworkClient.create(file, { insecure: true });
    assert.throws(() => network.encrypt(new Float64Array(39)), /39/);
    assert.throws(() => network.encrypt(new Float64Array(40).fill(1e6)), /1000000/);
    assert.throws(() => network.decrypt(read("js-network.result")), /key/);
    const stranger = read("rust-secret.key");
    const refused = () => NetworkClient.fromSecretKey(file, stranger, { insecure: true });
    assert.throws(refused, /n14/);
    const again = NetworkClient.fromSecretKey(file, network.secretKey(), { insecure: true });
    assert.deepEqual(again.secretKey(), network.secretKey());
    for (const at of [20, file.length >> 1, file.length - 1]) {
        const changed = file.slice();
        changed[at] ^= 1;
        assert.throws(() => NetworkClient.create(changed, { insecure: true }));
    }
});

test("signatures have the verdicts of Rust", () => {
    const lines = readFileSync(join(folder, "rust-signatures.txt"), "utf8").trim().split("\n");
    const verdicts = lines.map((line) => {
        const [group, scheme, key, message, signature, verdict] = line.split(",");
        const bytes = [key, message, signature].map((text) => new Uint8Array(Buffer.from(text, "hex")));
        assert.equal(String(halimede.blsVerify(...bytes, { group, scheme })), verdict, line);
        return verdict;
    });
    assert.equal(verdicts.length, 72);
    assert.equal(verdicts.filter((verdict) => verdict === "true").length, 18);
});
