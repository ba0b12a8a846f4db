// SPDX-License-Identifier: Apache-2.0 OR MIT
// Serves the page, the package, and the service's paths under /v1/ from one origin:
//
//     node serve.mjs FOLDER SERVICE [PORT]
//
// FOLDER has the page and the package's `dist` as `client`. SERVICE is the address of
// `halimede serve`, which answers no page of another origin.

import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { createServer, request } from "node:http";
import { extname, join, sep } from "node:path";

const TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".wasm": "application/wasm",
};
const HEADERS = {
    "content-security-policy":
        "default-src 'none'; connect-src 'self'; style-src 'self'; form-action 'none'; " +
        "frame-ancestors 'none'; base-uri 'none'; script-src 'self' 'wasm-unsafe-eval'",
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
};
/** The headers of a request that the service reads. */
const PASSED = ["authorization", "content-length", "content-type", "halimede-deadline-ms"];

const [folder, service, port = "0"] = process.argv.slice(2);
if (service === undefined) {
    console.error("usage: node serve.mjs FOLDER SERVICE [PORT]");
    process.exit(2);
}
const root = await realpath(folder);

function refuse(response, status, text) {
    response.writeHead(status, { ...HEADERS, "content-type": "text/plain" }).end(`${text}\n`);
}

/** Passes a request to the service, and its answer back. */
function pass(incoming, response) {
    const names = PASSED.filter((name) => incoming.headers[name] !== undefined);
    const headers = Object.fromEntries(names.map((name) => [name, incoming.headers[name]]));
    const address = new URL(incoming.url, service);
    const outgoing = request(address, { method: incoming.method, headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
    });
    outgoing.on("error", (error) => {
        if (response.headersSent) response.destroy();
        else refuse(response, 502, `the service does not answer: ${error.message}`);
    });
    response.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
}

/** Sends a file of the folder. */
async function send(path, response) {
    const found = await realpath(join(root, path === "/" ? "index.html" : path)).catch(() => undefined);
    const type = TYPES[extname(found ?? "")];
    const isInside = found?.startsWith(root + sep);
    if (!isInside || type === undefined || !(await stat(found)).isFile()) {
        refuse(response, 404, "there is no such file");
        return;
    }
    response.writeHead(200, { ...HEADERS, "content-type": type, "cache-control": "no-cache" });
    createReadStream(found).on("error", () => response.destroy()).pipe(response);
}

const server = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url, "http://page");
    if (pathname.startsWith("/v1/")) pass(incoming, response);
    else if (incoming.method === "GET" || incoming.method === "HEAD") {
        send(decodeURI(pathname), response).catch(() => refuse(response, 500, "reading failed"));
    } else refuse(response, 405, "only GET");
});
server.listen(Number(port), "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${server.address().port}/`);
});
