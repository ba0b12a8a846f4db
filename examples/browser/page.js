// SPDX-License-Identifier: Apache-2.0 OR MIT
// Encrypts a drawn curve, lets a service compute on it, and decrypts the result.

import { load, Service } from "./client/index.js";

/** The number of values of a curve, a power of two, so that rotations need no level. */
const LENGTH = 256;
/** The largest absolute value of a curve: declared, hence public. */
const BOUND = 1;
/** The computations of the service. Rotations are cyclic. */
const EXPRESSIONS = {
    smooth: "(6*x + 4*rot(x, 1) + 4*rot(x, -1) + rot(x, 2) + rot(x, -2)) * 0.0625",
    slope: "rot(x, 1) - rot(x, -1)",
    energy: "(rot(x, 1) - rot(x, -1)) * (rot(x, 1) - rot(x, -1))",
};
const SAMPLES = {
    wave: (at) => 0.6 * Math.sin((4 * Math.PI * at) / LENGTH) + 0.3 * noise(at),
    steps: (at) => (Math.floor((8 * at) / LENGTH) % 4) / 2 - 0.75,
};

const element = (id) => document.getElementById(id);
const canvas = element("curve");
let curve = Float64Array.from({ length: LENGTH }, (_, at) => SAMPLES.wave(at));
let result;

/** Pseudo-random numbers from −1 to 1, the same in each visit. */
function noise(at) {
    const wave = Math.sin(at * 12.9898) * 43758.5453;
    return 2 * (wave - Math.floor(wave)) - 1;
}

function draw() {
    const pen = canvas.getContext("2d");
    const style = getComputedStyle(document.documentElement);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const line = (values, color) => {
        pen.strokeStyle = style.getPropertyValue(color);
        pen.lineWidth = 4;
        pen.beginPath();
        values.forEach((value, at) => {
            pen.lineTo((at * canvas.width) / (LENGTH - 1), ((1 - value) * canvas.height) / 2);
        });
        pen.stroke();
    };
    line(curve, "--drawn");
    if (result !== undefined) line(result, "--computed");
}

/** Sets the values between two points of the pointer. */
function stroke(from, to) {
    const [first, last] = from.at <= to.at ? [from, to] : [to, from];
    for (let at = first.at; at <= last.at; at += 1) {
        const part = last.at === first.at ? 1 : (at - first.at) / (last.at - first.at);
        curve[at] = first.value + part * (last.value - first.value);
    }
}

function point(event) {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const within = (number, most) => Math.min(Math.max(number, 0), most);
    const at = Math.round(within((event.clientX - left) / width, 1) * (LENGTH - 1));
    return { at, value: (1 - 2 * within((event.clientY - top) / height, 1)) * BOUND };
}

let last;
canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = point(event);
    result = undefined;
    element("sample").value = "drawn";
});
canvas.addEventListener("pointermove", (event) => {
    if (last === undefined) return;
    const next = point(event);
    stroke(last, next);
    last = next;
    draw();
});
canvas.addEventListener("pointerup", () => (last = undefined));
element("sample").addEventListener("change", ({ target }) => {
    curve = Float64Array.from({ length: LENGTH }, (_, at) => SAMPLES[target.value](at));
    result = undefined;
    draw();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

/** Runs a step, and writes its time and the number of bytes to the table. */
async function step(name, work) {
    element("state").textContent = `${name}.`;
    // The page shows the step before the work begins.
    await new Promise((resolve) => setTimeout(resolve));
    const start = performance.now();
    const { value, bytes } = await work();
    const row = element("steps").insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = `${(performance.now() - start).toFixed(0)} ms`;
    row.insertCell().textContent = bytes === undefined ? "nothing" : `${(bytes / 1e6).toFixed(2)} MB`;
    return value;
}

const halimede = await load();
// A service that demands a token: put it after the address of this page, as `#token`.
const token = decodeURIComponent(location.hash.slice(1));
const service = new Service(halimede, location.origin, token === "" ? {} : { token });
let session;

/** Makes the keys once, and uploads those of the service. */
async function start() {
    const client = await step("Make a secret key", () => ({
        value: halimede.Client.create(halimede.Parameters.preset("n14")),
    }));
    const keys = await step("Make the keys of the service", () => ({
        value: client.evaluationKeys({ multiply: true, rotations: [1, -1, 2, -2] }),
    }));
    const name = await step("Send the keys of the service", async () => ({
        value: await service.uploadKeys(keys),
        bytes: keys.length,
    }));
    return { client, name };
}

element("controls").addEventListener("submit", async (event) => {
    event.preventDefault();
    element("compute").disabled = true;
    element("steps").replaceChildren();
    try {
        session ??= await start();
        const { client, name } = session;
        const x = await step("Encrypt", () => ({ value: client.encrypt(curve, { bound: BOUND }) }));
        const expression = EXPRESSIONS[element("operation").value];
        const sealed = await step("Send, compute, receive", async () => {
            const value = await service.evaluate(name, expression, { x });
            return { value, bytes: x.length + value.length };
        });
        result = await step("Decrypt", () => ({ value: client.decrypt(sealed) }));
        draw();
        element("state").textContent = `The service computed ${expression} and saw only ciphertexts.`;
    } catch (error) {
        element("state").textContent = `It failed: ${error.message}`;
    }
    element("compute").disabled = false;
});

// The key is wiped when the page is left.
addEventListener("pagehide", () => {
    session?.client.free();
    session = undefined;
});
draw();
element("compute").disabled = false;
element("state").textContent = "Ready.";
