// SPDX-License-Identifier: Apache-2.0 OR MIT
/** Frames of the service: the binary form of requests and answers (service/README.md). */

/** The bytes before the payload of a request, and of an answer. */
const REQUEST_HEADER = 8;
const ANSWER_HEADER = 16;
/** Frames fill a multiple of this number of bytes. */
const ALIGNMENT = 8;

/** Returns the frame of one item: a list of named ciphertexts. */
export function encodeInputs(inputs: Readonly<Record<string, Uint8Array>>): Uint8Array {
    const encoder = new TextEncoder();
    const records = Object.entries(inputs).map(([name, bytes]) => [encoder.encode(name), bytes] as const);
    const fields = records.reduce((sum, [name, bytes]) => sum + 8 + name.length + bytes.length, 4);
    const length = REQUEST_HEADER + fields;
    const frame = new Uint8Array(Math.ceil(length / ALIGNMENT) * ALIGNMENT);
    const view = new DataView(frame.buffer);
    view.setUint32(0, length, true);
    // The number of the item, 0, is at byte 4.
    view.setUint32(REQUEST_HEADER, records.length, true);
    let at = REQUEST_HEADER + 4;
    for (const field of records.flat()) {
        view.setUint32(at, field.length, true);
        frame.set(field, at + 4);
        at += 4 + field.length;
    }
    return frame;
}

/** Returns the content of the frame that answers one item. Throws if the item was invalid. */
export function decodeAnswer(frame: Uint8Array): Uint8Array {
    const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
    const length = frame.length >= ANSWER_HEADER ? view.getUint32(0, true) : 0;
    if (length < ANSWER_HEADER || length > frame.length) {
        throw new Error(`the answer of ${frame.length} bytes is not a frame`);
    }
    const payload = frame.slice(ANSWER_HEADER, length);
    if (view.getUint32(8, true) === 0) return payload;
    throw new Error(`the service: ${new TextDecoder().decode(payload)}`);
}
