// A note to read: gold where there is one, otherwise the suggestions.

import { api, element, find } from "./api.js";
import { Layer } from "./layer.js";
import { TextMap } from "./offsets.js";
import { showRemarks } from "./remarks.js";
import { View } from "./view.js";

const root = find("#text");
const note = await api("GET", `documents/${root.dataset.document}`);
const labels = new Map(note.labels.map((/** @type {any} */ label) => [label.name, label]));
const map = new TextMap(note.text);
const rows = note.gold ?? note.suggestions.map((/** @type {any[]} */ row) => row.slice(0, 3));
const layer = new Layer(rows, 0);
const view = new View(root, map, labels);
view.draw((start, end) => layer.within(start, end), () => "");
find("#span-count").textContent = String(layer.spans.length);
/** @param {number} start @param {number} end */
function show(start, end) {
  view.reveal(start, end);
  view.highlight("selected", [[start, end]]);
}

/** @param {any[][]} marks */
const labelsOf = (marks) => marks.map((mark) => mark[2]).join(", ") || "no PHI";
find("#disputes-box").hidden = !note.disputes.length;
find("#dispute-count").textContent = String(note.disputes.length);
view.highlight("dispute", note.disputes.map((/** @type {any} */ place) => [place.start, place.end]));
find("#disputes").replaceChildren(
  ...note.disputes.map((/** @type {any} */ place) => {
    const button = element(
      "button",
      { type: "button" },
      element("span", { class: "words" }, map.slice(place.start, place.end).replace(/\s+/g, " ").slice(0, 60)),
      element("span", { class: "name" }, `${labelsOf(place.a)} / ${labelsOf(place.b)}`),
    );
    button.addEventListener("click", () => show(place.start, place.end));
    return element("li", {}, button);
  }),
);
find("#spans").replaceChildren(
  ...layer.spans.map((mark) => {
    const button = element(
      "button",
      { type: "button", class: `span look-${labels.get(mark[2])?.look ?? "other"}` },
      element("span", { class: "words" }, map.slice(mark[0], mark[1]).replace(/\s+/g, " ").slice(0, 60)),
      element("span", { class: "name" }, mark[2]),
    );
    button.addEventListener("click", () => show(mark[0], mark[1]));
    return element("li", {}, button);
  }),
);

await showRemarks(note.id, true, show);

// A link may name a place: "#12-30". What follows "#" never travels.
const place = /^#(\d+)-(\d+)$/.exec(location.hash);
if (place) show(Number(place[1]), Number(place[2]));
