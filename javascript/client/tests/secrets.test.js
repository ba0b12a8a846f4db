// SPDX-License-Identifier: Apache-2.0 OR MIT
// Secret keys never leave in a message, and are wiped from the module's memory.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Service, ServiceError } from "@halimede/client";

import { halimede, hexadecimalOf } from "./helpers.js";

const { Client, Parameters } = halimede;
/** The bytes of a file before the coefficients: the file ends with them and a hash. */
const HASH_BYTES = 32;
/** The length of the parts of a secret that are searched for. */
const PART_BYTES = 12;

/** Returns the packed coefficients of the file of a secret key: two bits each. */
function packedSecret(file, parameters) {
    const end = file.length - HASH_BYTES;
    return file.slice(end - (2 * parameters.slots) / 4, end);
}

/** Returns the coefficients as the module keeps them: one byte each, 255 for −1. */
function coefficientsOf(packed) {
    const codes = Array.from(packed).flatMap((byte) => [0, 2, 4, 6].map((by) => (byte >> by) & 3));
    return Uint8Array.from(codes, (code) => (code === 2 ? 255 : code));
}

/** Returns `true` if bytes have a part of the secret, raw, in hexadecimal or in base64. */
function hasPart(bytes, secret) {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const step = Math.floor(secret.length / 40);
    for (let at = 0; at + PART_BYTES <= secret.length; at += step) {
        // Whole groups of three bytes, so that base64 of any alignment has the part's own text.
        const part = Buffer.from(secret.subarray(at, at + PART_BYTES));
        if (whole.includes(part)) return true;
        if (whole.includes(part.toString("hex"))) return true;
        for (const skip of [0, 1, 2]) {
            const length = PART_BYTES - 3;
            if (whole.includes(part.subarray(skip, skip + length).toString("base64"))) return true;
        }
    }
    return false;
}

/** A `fetch` that keeps everything it is given, and answers like the service. */
function recorder(answers) {
    const messages = [];
    const fetch = async (url, { method, headers, body }) => {
        const text = `${method} ${url}\n${JSON.stringify([...headers])}\n`;
        messages.push(Buffer.concat([Buffer.from(text), Buffer.from(body ?? [])]));
        return answers(new URL(url), method, body);
    };
    return { messages, fetch };
}

/** Returns the frame of an answer. */
function frame(status, payload) {
    const length = 16 + payload.length;
    const bytes = new Uint8Array(Math.ceil(length / 8) * 8);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, length, true);
    view.setUint32(8, status, true);
    bytes.set(payload, 16);
    return bytes;
}

/** A service that takes uploads in the pieces that it is sent, and returns an input as result. */
function honest() {
    let received = 0;
    return (url, method, body) => {
        if (method === "GET") return Response.json({ error: { code: "unknown" } }, { status: 404 });
        if (method === "POST") return new Response(frame(0, Uint8Array.of(1, 2, 3)));
        assert.equal(Number(url.searchParams.get("offset")), received);
        received += body.length;
        return Response.json({ received, complete: received === Number(url.searchParams.get("bytes")) });
    };
}

test("no message has a part of the secret key", async () => {
    const parameters = Parameters.preset("n14");
    const client = Client.create(parameters);
    const file = client.secretKey();
    const packed = packedSecret(file, parameters);
    const coefficients = coefficientsOf(packed);
    assert.equal(coefficients.length, 2 * parameters.slots);
    // The search finds what is there.
    for (const planted of [file, Buffer.from(hexadecimalOf(file)), Buffer.from(file).toString("base64")]) {
        assert.ok(hasPart(Buffer.from(planted), packed));
    }
    const { messages, fetch } = recorder(honest());
    const service = new Service(halimede, "http://service.example/", { fetch, token: "a token" });
    const keys = client.evaluationKeys({ multiply: true, conjugate: true, rotations: [1, -1, 2] });
    const name = await service.uploadKeys(keys);
    assert.equal(name, hexadecimalOf(halimede.blake3(keys)));
    const x = client.encrypt([0.5, -0.25]);
    const result = await service.evaluate(name, "x*x + rot(x, 1)", { x, "ключ": client.publicKey() });
    assert.deepEqual(result, Uint8Array.of(1, 2, 3));
    assert.ok(messages.length >= 4, `${messages.length} messages`);
    assert.ok(messages.reduce((sum, message) => sum + message.length, 0) > keys.length + x.length);
    for (const message of messages) {
        assert.ok(!hasPart(message, packed), message.subarray(0, 80).toString());
        assert.ok(!hasPart(message, coefficients));
    }
    // Public data has no part of it either.
    for (const bytes of [keys, x, client.publicKey(), parameters.toBytes()]) {
        assert.ok(!hasPart(bytes, packed) && !hasPart(bytes, coefficients));
    }
});

test("a file of a secret key is not sent, wherever it is in the message", async () => {
    const client = Client.create(Parameters.preset("n10-insecure"));
    const key = client.secretKey();
    const { messages, fetch } = recorder(honest());
    const service = new Service(halimede, "http://service.example/", { fetch });
    const ciphertext = client.encrypt([0.5]);
    const sends = [
        () => service.uploadKeys(key),
        () => service.uploadKeys(Buffer.concat([ciphertext, key])),
        () => service.evaluate("00", "x", { x: key }),
        () => service.evaluate("00", "x + y", { x: ciphertext, y: key }),
    ];
    for (const send of sends) await assert.rejects(send, /secret key/);
    for (const message of messages) assert.ok(!hasPart(message, packedSecret(key, client.parameters)));
});

test("refusals and invalid items are errors with the service's reason", async () => {
    const refusal = { error: { code: "queue", message: "the queue is full" } };
    const headers = { "retry-after": "7" };
    const refusing = new Service(halimede, "http://service.example/", {
        fetch: async () => Response.json(refusal, { status: 429, headers }),
    });
    await assert.rejects(refusing.evaluate("00", "x", {}), (error) => {
        assert.ok(error instanceof ServiceError);
        assert.deepEqual([error.status, error.code, error.retryAfterSeconds], [429, "queue", 7]);
        return /the queue is full/.test(error.message);
    });
    const answering = (answer) => new Service(halimede, "http://service.example/", {
        fetch: async () => new Response(answer),
    });
    const invalid = answering(frame(1, new TextEncoder().encode("no key for a product")));
    await assert.rejects(invalid.evaluate("00", "x*x", {}), /no key for a product/);
    for (const answer of [new Uint8Array(15), frame(0, new Uint8Array(9)).subarray(0, 24)]) {
        await assert.rejects(answering(answer).evaluate("00", "x", {}), /not a frame/);
    }
    await assert.rejects(answering('{"answers":[]}').call("/v1/blake3/hash", [{}]), /no answer/);
    const stuck = answering('{"received":0}');
    await assert.rejects(stuck.uploadKeys(new Uint8Array(10)), /stays at 0 bytes/);
});

test("free() wipes the secret key from the module's memory", async () => {
    const module = await import(new URL("wasm/halimede.js", import.meta.resolve("@halimede/client")));
    const { memory } = await module.default();
    const parameters = Parameters.preset("n14");
    const client = Client.create(parameters);
    const packed = packedSecret(client.secretKey(), parameters);
    const secret = coefficientsOf(packed);
    const contains = () => {
        const bytes = new Uint8Array(memory.buffer);
        return [hasLongPart(bytes, secret), hasLongPart(bytes, packed)];
    };
    assert.deepEqual(contains(), [true, false], "the file's bytes are wiped at once");
    client.encrypt([0.5]);
    client.evaluationKeys({ multiply: true });
    Client.fromSecretKey(client.secretKey()).free();
    client.free();
    assert.deepEqual(contains(), [false, false]);
});

/** Returns `true` if bytes have 32 bytes in a row of the secret, raw. */
function hasLongPart(bytes, secret) {
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + 32 <= secret.length; at += 331) {
        if (whole.includes(secret.subarray(at, at + 32))) return true;
    }
    return false;
}
