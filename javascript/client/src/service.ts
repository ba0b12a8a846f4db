// SPDX-License-Identifier: Apache-2.0 OR MIT
/** A client of `halimede serve`, over HTTP. */

import { decodeAnswer, encodeInputs } from "./frames.js";
import type { Halimede } from "./module.js";

/** The number of bytes of a piece of an upload. */
const PIECE_BYTES = 8 << 20;
/** The longest answer that is read, in bytes. */
const MOST_ANSWER_BYTES = 1 << 30;
/** The first bytes of a file of a CKKS secret key: the magic number, the format, the kind. */
const MAGIC = [0x89, 0x43, 0x4b, 0x4b, 0x53, 0x0d, 0x0a, 0x1a] as const;
const KIND_AT = MAGIC.length + 2;
const SECRET_KEY = 2;

/** Options of a service. */
export interface ServiceOptions {
    /** The token of a service that demands one. */
    token?: string;
    /** The time limit of each request in milliseconds; the default is 60,000. */
    timeoutMs?: number;
    /** A replacement of the platform's `fetch`. */
    fetch?: typeof fetch;
}

/** An answer to an item: its fields, or the error of an invalid item. */
export type Answer = Record<string, unknown> & { error?: string };

/** A request that the service refused. */
export class ServiceError extends Error {
    override readonly name = "ServiceError";

    constructor(
        /** The HTTP status. */
        readonly status: number,
        /** The reason as a word, such as `queue`. */
        readonly code: string,
        message: string,
        /** The seconds after which a repetition may succeed. */
        readonly retryAfterSeconds: number | undefined,
    ) {
        super(`the service refused the request: ${message} (${code}, status ${status})`);
    }
}

/** A client of the service at an address. It never sends a file of a secret key. */
export class Service {
    readonly #halimede: Halimede;
    readonly #address: URL;
    readonly #token: string | undefined;
    readonly #timeoutMs: number;
    readonly #fetch: typeof fetch;

    /** Names a service; nothing is sent. */
    constructor(halimede: Halimede, address: string | URL, options: ServiceOptions = {}) {
        this.#halimede = halimede;
        this.#address = new URL(address);
        this.#token = options.token;
        this.#timeoutMs = options.timeoutMs ?? 60_000;
        this.#fetch = options.fetch ?? fetch.bind(globalThis);
    }

    /**
     * Runs an operation on items. `path` has the settings after `?`, as in
     * `/v1/poseidon/filecoin-hash?arity=2`. An invalid item has an error as its answer.
     */
    async call(path: string, items: readonly object[]): Promise<Answer[]> {
        const body = new TextEncoder().encode(JSON.stringify({ items }));
        const answer = await this.#send("POST", path, "application/json", body);
        const { answers } = (await this.#json(answer)) as { answers?: Answer[] };
        if (!Array.isArray(answers) || answers.length !== items.length) {
            throw new Error(`the service gave no answer to each of ${items.length} items`);
        }
        return answers;
    }

    /**
     * Uploads evaluation keys, and returns the name under which the service knows them. An earlier
     * upload of the same keys continues, or is found complete.
     */
    async uploadKeys(keys: Uint8Array): Promise<string> {
        const hash = hexadecimal(this.#halimede.blake3(keys));
        const path = `/v1/objects/${hash}`;
        let offset = 0;
        const before = await this.#send("GET", path, undefined, undefined, [404]);
        if (before.status !== 404) {
            const { complete, received } = progress(await this.#json(before));
            if (complete) return hash;
            offset = received;
        }
        for (;;) {
            const piece = keys.subarray(offset, offset + PIECE_BYTES);
            const query = `kind=ckks-keys&bytes=${keys.length}&offset=${offset}`;
            const type = "application/octet-stream";
            const answer = await this.#send("PUT", `${path}?${query}`, type, piece);
            const { complete, received } = progress(await this.#json(answer));
            if (complete) return hash;
            if (received <= offset) throw new Error(`the upload stays at ${offset} bytes`);
            offset = received;
        }
    }

    /**
     * Evaluates an expression, such as `3*x*x + rot(x, 1)`, on ciphertexts, with uploaded keys.
     * Returns the encrypted result.
     */
    async evaluate(
        keys: string,
        expression: string,
        inputs: Readonly<Record<string, Uint8Array>>,
    ): Promise<Uint8Array> {
        const query = new URLSearchParams({ keys, expression });
        const body = encodeInputs(inputs);
        const path = `/v1/ckks/evaluate?${query}`;
        const answer = await this.#send("POST", path, "application/octet-stream", body);
        return decodeAnswer(await bytesOf(answer));
    }

    async #send(
        method: string,
        path: string,
        type: string | undefined,
        body: Uint8Array | undefined,
        accepted: readonly number[] = [],
    ): Promise<Response> {
        if (body !== undefined) refuseSecretKeys(body);
        const headers = new Headers();
        if (type !== undefined) headers.set("content-type", type);
        if (this.#token !== undefined) headers.set("authorization", `Bearer ${this.#token}`);
        headers.set("halimede-deadline-ms", String(this.#timeoutMs));
        const answer = await this.#fetch(new URL(path, this.#address), {
            method,
            headers,
            body: body === undefined ? null : (body as Uint8Array<ArrayBuffer>),
            redirect: "error",
            credentials: "omit",
            signal: AbortSignal.timeout(this.#timeoutMs),
        });
        if (answer.ok || accepted.includes(answer.status)) return answer;
        const refusal = (await this.#json(answer).catch(() => ({}))) as {
            error?: { code?: unknown; message?: unknown };
        };
        const seconds = Number(answer.headers.get("retry-after") ?? Number.NaN);
        throw new ServiceError(
            answer.status,
            String(refusal.error?.code ?? "?"),
            String(refusal.error?.message ?? "no reason given"),
            Number.isNaN(seconds) ? undefined : seconds,
        );
    }

    async #json(answer: Response): Promise<unknown> {
        return JSON.parse(new TextDecoder().decode(await bytesOf(answer)));
    }
}

/** Returns the body of an answer, up to a limit. */
async function bytesOf(answer: Response): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let length = 0;
    const reader = answer.body?.getReader();
    for (;;) {
        const { value } = (await reader?.read()) ?? { value: undefined };
        if (value === undefined) break;
        length += value.length;
        if (length > MOST_ANSWER_BYTES) {
            await reader?.cancel();
            throw new Error(`the answer has more than ${MOST_ANSWER_BYTES} bytes`);
        }
        pieces.push(value);
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
        whole.set(piece, at);
        at += piece.length;
    }
    return whole;
}

/** Throws if the bytes hold the beginning of a file of a secret key. */
function refuseSecretKeys(body: Uint8Array): void {
    for (let at = body.indexOf(MAGIC[0]); at >= 0; at = body.indexOf(MAGIC[0], at + 1)) {
        const isFile = MAGIC.every((byte, place) => body[at + place] === byte);
        if (isFile && body[at + KIND_AT] === SECRET_KEY) {
            throw new Error("the message holds a secret key, which never leaves its owner");
        }
    }
}

function progress(answer: unknown): { complete: boolean; received: number } {
    const { complete, received } = answer as { complete?: unknown; received?: unknown };
    if (complete === true) return { complete, received: 0 };
    if (!Number.isSafeInteger(received)) throw new Error("the service does not say what it received");
    return { complete: false, received: received as number };
}

function hexadecimal(bytes: Uint8Array): string {
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
