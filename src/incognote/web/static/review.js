// Review: the original beside the output, scrolled together; a finding returns the release.

import { api, find } from "./api.js";
import { Layer } from "./layer.js";
import { TextMap, Words } from "./offsets.js";
import { View } from "./view.js";

const page = find("#review");
const { release, document: number, project } = page.dataset;
const row = await api("GET", `releases/${release}/documents/${number}`);
const labels = new Map(row.labels.map((/** @type {any} */ label) => [label.name, label]));
const sides = { original: find("#original"), output: find("#output") };

/** @param {HTMLElement} box @param {string} text @param {import("./layer.js").Mark[]} spans */
function show(box, text, spans) {
  const map = new TextMap(text);
  const layer = new Layer(spans.filter((mark) => mark[1] > mark[0]), 0);
  const view = new View(box, map, labels);
  view.draw((start, end) => layer.within(start, end), () => "");
  return { map, layer, view, words: new Words(map) };
}

const original = show(sides.original, row.text, row.replacements.map((/** @type {any[]} */ r) => [r[0], r[1], r[2]]));
show(sides.output, row.output, row.replacements.map((/** @type {any[]} */ r) => [r[3], r[4], r[2]]));
original.view.highlight("found", row.findings.map((/** @type {any[]} */ f) => [f[0], f[1]]));

// Both sides show the same place of the note.
let leader = "";
for (const [name, box] of Object.entries(sides)) {
  const other = name === "original" ? sides.output : sides.original;
  box.addEventListener("scroll", () => {
    if (leader && leader !== name) return;
    leader = name;
    const share = box.scrollTop / Math.max(1, box.scrollHeight - box.clientHeight);
    other.scrollTop = share * (other.scrollHeight - other.clientHeight);
    setTimeout(() => (leader = ""), 60);
  });
}

/** @type {[number, number]} */
let chosen = [0, 0];
const leak = /** @type {HTMLButtonElement} */ (find("#leak"));
const clean = /** @type {HTMLButtonElement} */ (find("#clean"));
const closed = row.state !== "in review" || page.dataset.own === "yes";
clean.disabled = closed;
sides.original.addEventListener("mouseup", () => {
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return;
  const points = [
    original.view.pointOf(selection.anchorNode, selection.anchorOffset),
    original.view.pointOf(selection.focusNode, selection.focusOffset),
  ].sort((a, b) => a - b);
  if (points[0] >= 0) choose(original.words.snap(points[0], points[1]));
});

/** @param {[number, number]} stretch */
function choose(stretch) {
  chosen = stretch;
  original.view.highlight("selected", [chosen]);
  original.view.reveal(...chosen);
  find("#chosen").textContent = original.map.slice(...chosen).slice(0, 80);
  leak.disabled = closed;
}

/**
 * The word caret: the arrows move it, with Shift they extend what is chosen.
 * @param {number} step
 * @param {boolean} extend
 */
function move(step, extend) {
  const { words } = original;
  if (!words.count) return;
  const none = chosen[0] === chosen[1];
  const last = none ? -1 : words.at(chosen[1] - 1);
  const first = none ? 0 : words.at(chosen[0]);
  const at = Math.max(extend ? first : 0, Math.min(words.count - 1, step < 0 && !extend ? first - 1 : last + step));
  choose([words.starts[extend && !none ? first : at], words.ends[at]]);
}

sides.original.addEventListener("keydown", (event) => {
  if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
  event.preventDefault();
  move(event.key === "ArrowRight" ? 1 : -1, event.shiftKey);
});

/** @param {unknown[]} findings */
async function send(findings) {
  const answer = await api("POST", `releases/${release}/documents/${number}`, { findings });
  location.assign(answer.next && answer.state === "in review" ? `/releases/${release}/documents/${answer.next}` : `/projects/${project}/releases`);
}

/** @param {() => Promise<void>} work */
const told = (work) => work().catch((error) => (find("#chosen").textContent = error.message));

clean.addEventListener("click", () => void told(() => send([])));
leak.addEventListener("click", () => {
  const box = /** @type {HTMLDialogElement} */ (find("#ask"));
  find("#ask p").textContent = "A finding returns the whole release to its manager. Is this a leak?";
  box.returnValue = "";
  box.showModal();
  box.addEventListener("close", () => box.returnValue === "yes" && void told(() => send([[...chosen, "LEAK"]])), { once: true });
});
document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]") || event.target instanceof HTMLButtonElement) return;
  if (event.key === "Enter" && !clean.disabled) clean.click();
  if (event.key.toLowerCase() === "l" && !leak.disabled) leak.click();
});
sides.original.focus();

// A link to a finding names its place: "#12-30". What follows "#" never travels.
const place = /^#(\d+)-(\d+)$/.exec(location.hash);
if (place) original.view.reveal(Number(place[1]), Number(place[2]));
