// The policy page: checks the TOML as it is typed, writes choices of the form into it, counts changes.

import { api, element, find } from "./api.js";

const form = /** @type {HTMLFormElement} */ (find("#policy"));
const area = /** @type {HTMLTextAreaElement} */ (find("#policy textarea"));
const verdict = find("#verdict");
const project = form.dataset.project;
let timer = 0;

/** @param {string} words @param {string} kind */
function say(words, kind) {
  verdict.textContent = words;
  verdict.className = kind;
}

async function check() {
  const found = await api("POST", `projects/${project}/policy/check`, { policy: area.value });
  if (found.good) say(`Good. Hash ${found.hash}; detectors: ${found.detectors.join(", ")}.`, "good");
  else say(found.error, "bad");
}

function checkSoon() {
  clearTimeout(timer);
  timer = setTimeout(() => void check().catch((error) => say(error.message, "bad")), 500);
}

area.addEventListener("input", checkSoon);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  api("PUT", `projects/${project}/policy`, { policy: area.value })
    .then((found) => say(`Saved. Hash ${found.hash}. Suggestions are made again.`, "good"))
    .catch((error) => say(error.message, "bad"));
});

// A choice of the form becomes a line of the table [labels].
find("#labels").addEventListener("change", (event) => {
  const field = event.target;
  if (!(field instanceof HTMLSelectElement)) return;
  const line = `${field.name} = "${field.value}"`;
  const lines = area.value.split("\n");
  const head = lines.findIndex((each) => each.trim() === "[labels]");
  if (head < 0) {
    area.value = `${area.value.trimEnd()}\n\n[labels]\n${line}\n`;
  } else {
    let end = head + 1;
    while (end < lines.length && !lines[end].trim().startsWith("[")) end += 1;
    const there = lines.findIndex((each, at) => at > head && at < end && each.split("=")[0].trim() === field.name);
    if (there >= 0) lines[there] = line;
    else lines.splice(head + 1, 0, line);
    area.value = lines.join("\n");
  }
  checkSoon();
});

/** @param {Record<string, number>} counts */
const told = (counts) => Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ") || "none";

find("#try").addEventListener("click", async () => {
  const box = find("#effect");
  try {
    const { job } = await api("POST", `projects/${project}/policy/try`, { policy: area.value });
    box.replaceChildren(element("p", { class: "quiet" }, "Reading the measuring notes…"));
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const row = await api("GET", `projects/${project}/jobs/${job}`);
      if (row.state === "done") {
        const { result } = row;
        const parts = [
          element("h3", {}, "What would change"),
          element("p", {}, `${result.changed} of ${result.notes} notes`),
          element("p", { class: "good" }, `new: ${told(result.come)}`),
          element("p", { class: "bad" }, `gone: ${told(result.gone)}`),
          element("p", {}, `written otherwise: ${told(result.otherwise)}`),
        ];
        if (result.before) {
          parts.push(element("p", {}, `F1 ${result.before.f1.toFixed(4)} → ${result.after.f1.toFixed(4)}, recall ${result.before.recall.toFixed(4)} → ${result.after.recall.toFixed(4)}`));
        }
        const links = result.where.flatMap((/** @type {number} */ number) => [element("a", { href: `/documents/${number}` }, String(number)), " "]);
        if (links.length) parts.push(element("p", {}, "Notes: ", ...links, result.changed > result.where.length ? "…" : ""));
        box.replaceChildren(...parts);
        return;
      }
      if (row.state === "failed" || row.state === "cancelled") throw new Error(`The job ${row.state}: ${row.error_type}`);
    }
  } catch (error) {
    box.replaceChildren(element("p", { class: "bad" }, error instanceof Error ? error.message : "That did not work."));
  }
});

find("#download").addEventListener("click", (event) => {
  const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
  link.href = URL.createObjectURL(new Blob([area.value], { type: "text/plain" }));
});
