// Sends files one after another, each as the body of a request: nothing is packed or read here.

import { api, element, find } from "./api.js";

const form = /** @type {HTMLFormElement} */ (find("#upload"));
const list = find("#uploads");

/** @param {FileList | File[]} files */
async function send(files) {
  const fields = new FormData(form);
  const query = new URLSearchParams();
  for (const name of ["form", "layer", "labels"]) {
    const value = fields.get(name);
    if (typeof value === "string" && value) query.set(name, value);
  }
  query.set("suggest", fields.get("suggest") === null ? "false" : "true");
  let failed = 0;
  for (const file of files) {
    const name = file.webkitRelativePath || file.name;
    if (name.split("/").some((part) => part.startsWith("."))) continue;
    const row = element("li", {}, element("span", {}, name), element("progress", {}));
    list.append(row);
    query.set("name", name);
    try {
      await api("POST", `projects/${form.dataset.project}/sources?${query}`, file);
      row.querySelector("progress")?.replaceWith(element("span", { class: "good" }, "uploaded"));
    } catch (error) {
      failed += 1;
      const words = error instanceof Error ? error.message : "failed";
      row.querySelector("progress")?.replaceWith(element("span", { class: "bad" }, words));
    }
  }
  if (!failed && files.length) location.reload();
}

for (const input of form.querySelectorAll('input[type="file"]')) {
  input.addEventListener("change", () => {
    const { files } = /** @type {HTMLInputElement} */ (input);
    if (files) void send([...files]);
  });
}
form.addEventListener("submit", (event) => event.preventDefault());
const zone = find("#drop");
zone.addEventListener("dragover", (event) => event.preventDefault());
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer) void send([...event.dataTransfer.files]);
});
