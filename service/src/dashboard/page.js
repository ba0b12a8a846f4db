// SPDX-License-Identifier: Apache-2.0 OR MIT
// Reads the events of the server with fetch, which can send a token (EventSource cannot), and shows
// them. The token is only in the memory of this page. Data is inserted as text, never as HTML.
"use strict";

const byId = (id) => document.getElementById(id);
const history = [];
const KEPT = 120;
let token = "";
let paused = false;
let before = null;

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

const number = (value) => Number(value).toLocaleString("en", { maximumFractionDigits: 1 });

function duration(us) {
  if (us < 1000) return `${number(us)} µs`;
  if (us < 1e6) return `${number(us / 1000)} ms`;
  return `${number(us / 1e6)} s`;
}

function bytes(count) {
  for (const unit of ["B", "KB", "MB", "GB"]) {
    if (count < 1000) return `${number(count)} ${unit}`;
    count /= 1000;
  }
  return `${number(count)} TB`;
}

function list(id, pairs) {
  byId(id).replaceChildren(...pairs.map(([name, value]) => {
    const pair = document.createElement("div");
    pair.append(element("dt", name), element("dd", value));
    return pair;
  }));
}

function rows(id, all, text) {
  const made = all.map((cells) => {
    const row = document.createElement("tr");
    row.append(...cells.map((cell) => cell instanceof Node ? cell : element("td", cell)));
    return row;
  });
  if (made.length === 0) {
    const row = document.createElement("tr");
    row.append(element("td", text));
    made.push(row);
  }
  byId(id).replaceChildren(...made);
}

// Returns a cell with the load of the device, as a bar with a number.
function load(share) {
  const cell = document.createElement("td");
  const meter = document.createElement("meter");
  meter.max = 1;
  meter.value = Math.min(share, 1);
  const percent = `${number(100 * share)} %`;
  meter.setAttribute("aria-label", percent);
  cell.append(meter, element("span", ` ${percent}`));
  return cell;
}

function showWork(now, seconds) {
  const old = new Map((before ? before.device : []).map((row) => [row.name, row]));
  rows("work", now.device.map((row) => {
    const last = old.get(row.name) || row;
    const busy = Math.max(row.busy_us - last.busy_us, 0) / 1e6;
    const roof = row.busy_us > 0 ? row.items / (row.busy_us / 1e6) : 0;
    return [row.name, number(Math.max(row.items - last.items, 0) / seconds), number(roof),
      load(busy / seconds), number(row.failures)];
  }), "no computations yet");
  const failure = now.failure;
  const line = byId("failure");
  line.hidden = !failure;
  const text = failure ? `The device failed: ${failure.operation}: ${failure.reason}` : "";
  if (line.textContent !== text) line.textContent = text;
}

function showGpus(gpus) {
  byId("gpus-table").hidden = gpus.length === 0;
  rows("gpus", gpus.map((gpu) => [`${gpu.number}: ${gpu.name}`,
    gpu.state === "good" ? gpu.state : element("td", `${gpu.state}: ${gpu.reason}`, "bad reason"),
    `${bytes(gpu.memory_used_bytes)} of ${bytes(gpu.memory_limit_bytes)}`,
    number(gpu.batches), number(gpu.losses)]), "none");
}

function state(text, isBad) {
  const line = byId("state");
  if (line.textContent !== text) line.textContent = text;
  line.className = isBad ? "bad" : "";
}

function showDevice(about) {
  const capabilities = about.capabilities || {};
  list("device", [["Device", about.name], ["Fallback", capabilities.fallback || "none"],
    ["Version", about.version]]);
  const engines = capabilities.engines || [];
  byId("engines").replaceChildren(...engines.map((engine) =>
    element("li", `${engine.name}: ${(engine.instances || []).join(", ")}`)));
}

function show(now) {
  const seconds = before ? Math.max((now.time_ms - before.time_ms) / 1000, 0.001) : 1;
  const old = new Map((before ? before.operations : []).map((row) => [row.name, row]));
  const rate = (row, field) => {
    const last = old.get(row.name);
    return last ? Math.max((row[field] - last[field]) / seconds, 0) : 0;
  };
  const items = now.operations.reduce((sum, row) => sum + rate(row, "items"), 0);
  const requests = now.operations.reduce((sum, row) => sum + rate(row, "answered"), 0);
  history.push(items);
  if (history.length > KEPT) history.shift();
  if (!paused) showWork(now, seconds);
  if (!paused) showGpus(now.gpus);
  before = now;
  if (paused) return;
  const queue = now.queue;
  list("numbers", [
    ["Items per second", number(items)], ["Requests per second", number(requests)],
    ["Items in the queue", `${number(queue.items)} of ${number(queue.most_items)}`],
    ["Requests in the queue", `${number(queue.requests)} of ${number(queue.most_requests)}`],
    ["Requests per batch", number(queue.batches ? queue.joined / queue.batches : 0)],
    ["Connections", number(now.connections)], ["Clients disconnected early", number(now.gone)],
    ["Received", bytes(now.received_bytes)], ["Sent", bytes(now.sent_bytes)],
    ["Up for", duration(now.uptime_ms * 1000)],
  ]);
  const most = Math.max(...history, 1);
  byId("line").setAttribute("points", history.map((value, index) =>
    `${600 - (history.length - 1 - index) * (600 / (KEPT - 1))},${78 - 76 * value / most}`).join(" "));
  byId("chart-text").textContent =
    `Items per second in the last two minutes: now ${number(items)}, at most ${number(most)}`;
  rows("operations", now.operations.filter((row) => row.answered + row.refused > 0)
    .map((row) => [row.name, number(rate(row, "answered")), number(rate(row, "items")),
      number(row.items), number(row.bad_items), number(row.refused),
      row.answered ? duration(row.time_us / row.answered) : "",
      row.answered ? duration(row.transfer_us / row.answered) : ""]), "no requests yet");
  const refusals = Object.entries(now.refusals).filter(([, count]) => count > 0);
  byId("errors").replaceChildren(...(refusals.length
    ? refusals.map(([reason, count]) => element("li", `${reason}: ${number(count)}`))
    : [element("li", "none")]));
  rows("jobs", now.jobs.map((job) => [job.operation, number(job.items), number(job.bad_items),
    String(job.status), duration(job.time_us)]), "none yet");
}

function handle(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) name = line.slice(7);
    if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  if (data.length === 0) return;
  const value = JSON.parse(data.join("\n"));
  if (name === "device") showDevice(value); else show(value);
}

async function read() {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch("/events", { headers, cache: "no-store" });
  if (response.status === 401) {
    byId("login").hidden = false;
    state(token ? "unknown token" : "a token is required", Boolean(token));
    byId("token").focus();
    return false;
  }
  if (!response.ok) throw new Error(`status ${response.status}`);
  byId("login").hidden = true;
  state("live", false);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return true;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop();
    blocks.forEach(handle);
  }
}

async function run() {
  for (;;) {
    try {
      if (!await read()) return;
      state("the server has stopped", true);
    } catch (error) {
      state(`no connection: ${error.message}`, true);
    }
    before = null;
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value.trim();
  byId("token").value = "";
  run();
});

byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  byId("pause").textContent = paused ? "Resume" : "Pause";
});

run();
