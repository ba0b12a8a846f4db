// SPDX-License-Identifier: Apache-2.0 OR MIT
// KZG openings and a published signature, with the vectors of the Rust tests.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bytesOf, halimede, namesIn, textOf } from "./helpers.js";

const FOLDER = ["engines", "bls12_381", "vectors", "kzg"];

/** Returns the fields of a case, and its expected output; `null` if it cannot be decoded. */
function caseOf(kind, name) {
    const fields = {};
    let output;
    for (const line of textOf(...FOLDER, kind, name).split("\n")) {
        const [, key, value] = /^\s*(\w+):\s*'?([^']*)'?$/.exec(line) ?? [];
        if (key === "output") output = JSON.parse(value);
        else if (value) fields[key] = bytesOf(value);
    }
    return { fields, output };
}

function check(kind, verify) {
    const counts = { true: 0, false: 0, null: 0 };
    for (const name of namesIn(...FOLDER, kind)) {
        const { fields, output } = caseOf(kind, name);
        counts[output] += 1;
        if (output === null) assert.throws(() => verify(fields), undefined, name);
        else assert.equal(verify(fields), output, name);
    }
    assert.ok(counts.true > 3 && counts.false > 2 && counts.null > 1, JSON.stringify(counts));
}

test("openings at points have Ethereum's verdicts", () => {
    check("verify_kzg_proof", ({ commitment, z, y, proof }) =>
        halimede.verifyKzgProof(commitment, z, y, proof));
});

test("openings of blobs have Ethereum's verdicts", () => {
    check("verify_blob_kzg_proof", ({ blob, commitment, proof }) =>
        halimede.verifyBlobKzgProof(blob, commitment, proof));
});

test("a published signature, and changes of it", () => {
    // From Ethereum's consensus tests, bls/sign: the message is 32 bytes 0x56.
    const key = bytesOf("a491d1b0ecd9bb917989f0e74f0dea0422eac4a873e5e2644f368dffb9a6e20f" +
        "d6e10c1b77654d067c0618f6e5a7f79a");
    const signature = bytesOf("882730e5d03f6b42c3abc26d3372625034e1d871b65a8a6b900a56dae22da98a" +
        "bbe1b68f85e49fe7652a55ec3d0591c20767677e33e5cbb1207315c41a9ac03be39c2e7668edc043" +
        "d6cb1d9fd93033caa8a1c5b0e84bedaeb6c64972503a43eb");
    const message = new Uint8Array(32).fill(0x56);
    const { blsAggregateVerify, blsFastAggregateVerify, blsVerify } = halimede;
    assert.equal(blsVerify(key, message, signature), true);
    assert.equal(blsFastAggregateVerify([key], message, signature), true);
    assert.equal(blsAggregateVerify([key], [message], signature), true);
    for (const scheme of ["basic", "aug"]) {
        assert.equal(blsVerify(key, message, signature, { scheme }), false);
    }
    for (const bytes of [key, message, signature]) {
        for (const at of [0, 7, bytes.length - 1]) {
            bytes[at] ^= 1;
            assert.equal(blsVerify(key, message, signature), false, `byte ${at}`);
            bytes[at] ^= 1;
        }
    }
    assert.equal(blsFastAggregateVerify([key, key], message, signature), false);
    assert.equal(blsFastAggregateVerify([], message, signature), false);
    assert.equal(blsAggregateVerify([], [], signature), false);
    assert.equal(blsAggregateVerify([key], [], signature), false);
    assert.equal(blsVerify(key, message, new Uint8Array()), false);
    assert.throws(() => blsVerify(key, message, signature, { scheme: "none" }), /pop or basic/);
    assert.throws(() => blsFastAggregateVerify([1], message, signature), /keys/);
});
