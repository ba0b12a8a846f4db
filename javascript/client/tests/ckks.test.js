// SPDX-License-Identifier: Apache-2.0 OR MIT
// Keys, encryption and decryption in JavaScript alone.

import assert from "node:assert/strict";
import { test } from "node:test";

import { assertClose, halimede } from "./helpers.js";

const { Client, Parameters, PublicKey, describe } = halimede;
const parameters = Parameters.preset("n14");
const values = Float64Array.from({ length: 700 }, (_, at) => 2.9 * Math.sin(at * at));

test("vectors come back, whatever their kind, bound, level and length", () => {
    const client = Client.create(parameters);
    const lengths = [1, 2, 3, 255, 700, parameters.slots];
    for (const length of lengths) {
        const some = Float64Array.from({ length }, (_, at) => values[at % values.length]);
        for (const options of [{ bound: 3 }, { bound: [-3, 4.5], level: 2 }]) {
            assertClose(client.decrypt(client.encrypt(some, options)), some, 1e-7);
        }
    }
    assertClose(client.decrypt(client.encrypt([0.5, -1])), [0.5, -1], 1e-7);
    const complex = client.encryptComplex([0.25, -0.5, 0, 1]);
    assertClose(client.decryptComplex(complex), [0.25, -0.5, 0, 1], 1e-7);
    assert.throws(() => client.decrypt(complex), /decryptComplex/);
    client.free();
});

test("a public key encrypts for its owner alone", () => {
    const [owner, other] = [Client.create(parameters), Client.create(parameters)];
    const key = PublicKey.fromBytes(owner.publicKey());
    assert.equal(key.id, owner.id);
    const ciphertext = key.encrypt(values, { bound: 3 });
    assertClose(owner.decrypt(ciphertext), values, 1e-6);
    assert.throws(() => other.decrypt(ciphertext), /key/);
});

test("a secret key is kept as bytes", () => {
    const client = Client.create(parameters);
    const bytes = client.secretKey();
    const again = Client.fromSecretKey(bytes);
    assert.deepEqual(again.secretKey(), bytes);
    assert.equal(again.id, client.id);
    assertClose(again.decrypt(client.encrypt(values, { bound: 3 })), values, 1e-7);
});

test("equal values have different ciphertexts, and two clients different keys", () => {
    const [client, other] = [Client.create(parameters), Client.create(parameters)];
    assert.notDeepEqual(client.encrypt(values, { bound: 3 }), client.encrypt(values, { bound: 3 }));
    assert.notDeepEqual(client.secretKey(), other.secretKey());
    assert.notEqual(client.id, other.id);
});

test("descriptions have the public fields", () => {
    const client = Client.create(parameters);
    const described = describe(client.encrypt(values, { bound: [-3, 5], level: 3 }));
    const { precisionBits, ...rest } = described;
    assert.ok(precisionBits > 20 && precisionBits < 40, `${precisionBits} bits`);
    const { hash, id } = rest;
    assert.deepEqual(rest, {
        kind: "a ciphertext", parameters: "n14", hash: parameters.hash, id: client.id,
        level: 3, length: 700, bound: [-3, 5],
    });
    for (const bytes of [client.secretKey(), client.publicKey()]) {
        assert.equal(describe(bytes).id, id);
        assert.equal(describe(bytes).hash, hash);
    }
    assert.equal(describe(client.evaluationKeys({ rotations: [1] })).kind, "evaluation keys");
    const more = Uint8Array.from([...parameters.toBytes(), 0]);
    assert.deepEqual(describe(parameters.toBytes()), { kind: "parameters", parameters: "n14", hash });
    assert.throws(() => describe(more), /byte/);
    const { name, slots, levels, securityBits } = Parameters.fromBytes(parameters.toBytes());
    assert.deepEqual([name, slots, levels, securityBits], ["n14", 8192, 5, 128]);
});

test("decryptions for others have noise, and their number is limited", () => {
    const client = Client.create(parameters);
    const ciphertext = client.encrypt([0.5, -1.25], { bound: 2 });
    const statement = { securityBits: 8, queries: 2 };
    const { values: shared, precisionBits } = client.decryptForSharing(ciphertext, statement);
    assert.ok(precisionBits > 10 && precisionBits < 30, `${precisionBits} bits`);
    assertClose(shared, [0.5, -1.25], 10 * 2 ** -precisionBits);
    client.decryptForSharing(ciphertext, statement);
    assert.throws(() => client.decryptForSharing(ciphertext, statement), /2/);
    assert.throws(() => client.decryptForSharing(ciphertext, { securityBits: 8 }), /queries/);
});

test("wrong arguments are errors that name them", () => {
    const client = Client.create(parameters);
    const wrong = [
        [() => Parameters.preset("n77"), /n77/],
        [() => client.encrypt([5]), /declared bound/],
        [() => client.encrypt([]), /empty|no values/],
        [() => client.encrypt([Number.NaN]), /NaN/],
        [() => client.encrypt("12"), /values/],
        [() => client.encrypt(new Float64Array(8193)), /8193/],
        [() => client.encrypt([1], { bounds: 3 }), /unknown option `bounds`; expected one of bound/],
        [() => client.encrypt([1], { bound: "3" }), /`bound`/],
        [() => client.encrypt([1], { bound: -3 }), /`bound`/],
        [() => client.encrypt([1], { bound: [3, 1] }), /`bound`/],
        [() => client.encrypt([1], { level: 6 }), /from 0 to 5/],
        [() => client.encrypt([1], { level: 1.5 }), /`level`/],
        [() => client.encryptComplex([1, 2, 3]), /even/],
        [() => client.encryptComplex([1, 2], { bound: [0, 3] }), /`bound`/],
        [() => client.evaluationKeys({ multiply: 1 }), /`multiply`/],
        [() => client.evaluationKeys({ rotations: [0.5] }), /`rotations`/],
        [() => client.evaluationKeys({ bootstrap: true }), /`bootstrap`/],
    ];
    for (const [call, text] of wrong) assert.throws(call, text);
    client.free();
    assert.throws(() => client.encrypt([1]), /null pointer/);
});

test("changed, short and long files are refused", () => {
    const client = Client.create(parameters);
    const files = [
        [client.encrypt(values, { bound: 3 }), (bytes) => client.decrypt(bytes)],
        [client.secretKey(), (bytes) => Client.fromSecretKey(bytes)],
        [client.publicKey(), (bytes) => PublicKey.fromBytes(bytes)],
    ];
    for (const [bytes, read] of files) {
        read(bytes);
        assert.throws(() => read(new Uint8Array()));
        assert.throws(() => read(bytes.subarray(0, bytes.length - 1)));
        assert.throws(() => read(Uint8Array.from([...bytes, 0])));
        for (const at of [0, 8, 10, 40, 100, bytes.length >> 1, bytes.length - 1]) {
            const changed = bytes.slice();
            changed[at] ^= 4;
            assert.throws(() => read(changed), undefined, `byte ${at} of ${bytes.length}`);
        }
    }
});

test("insecure parameters are refused unless requested", () => {
    const insecure = Client.create(Parameters.preset("n10-insecure"));
    const key = insecure.secretKey();
    assert.throws(() => Client.fromSecretKey(key), /insecure/i);
    assert.equal(Client.fromSecretKey(key, { insecure: true }).id, insecure.id);
    assert.equal(insecure.parameters.securityBits, undefined);
});
