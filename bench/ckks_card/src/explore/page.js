"use strict";
const table = document.querySelector("table");
const rows = Array.from(table.tBodies[0].rows);
const marks = (point) => document.querySelectorAll(`[data-point="${point}"]`);

/* Highlights a point in all drawings and in the table. */
document.body.addEventListener("mouseover", (event) => {
  const found = event.target.closest("[data-point]");
  document.querySelectorAll(".chosen").forEach((mark) => mark.classList.remove("chosen"));
  if (found) marks(found.dataset.point).forEach((mark) => mark.classList.add("chosen"));
});

/* A column's button sorts by the column, and at the second click in reverse. */
table.tHead.querySelectorAll("button").forEach((button, column) => {
  button.addEventListener("click", () => {
    const heading = button.parentElement;
    const falls = heading.getAttribute("aria-sort") === "ascending";
    table.tHead.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
    const value = (row) => row.cells[column].dataset.value;
    const order = (a, b) => value(a) - value(b) || value(a).localeCompare(value(b));
    rows.sort((a, b) => (falls ? order(b, a) : order(a, b)));
    table.tBodies[0].append(...rows);
  });
});

document.querySelector("#front").addEventListener("change", (event) => {
  rows.forEach((row) => { row.hidden = event.target.checked && row.dataset.front === "0"; });
});

table.tHead.querySelector("button").click();
document.documentElement.dataset.ready = "";
