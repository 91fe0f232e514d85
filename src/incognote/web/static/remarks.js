// Questions about places of a note, and their answers: the same list in the editor and the reader.

import { api, element, find } from "./api.js";

/** @typedef {{id: number, by: string, start: number | null, end: number | null, body: string, answer: string | null, closed_at: number | null}} Remark */

/**
 * Draws the remarks of a note; whoever settles questions gets a field for the answer.
 * @param {number} note
 * @param {boolean} mayAnswer
 * @param {(start: number, end: number) => void} choose
 */
export async function showRemarks(note, mayAnswer, choose) {
  /** @type {Remark[]} */
  const rows = await api("GET", `documents/${note}/remarks`);
  const again = () => showRemarks(note, mayAnswer, choose);
  find("#remarks").replaceChildren(...rows.map((row) => remark(row, mayAnswer, choose, again)));
  const open = rows.filter((row) => row.closed_at === null).length;
  find("#remark-count").textContent = open ? `${open} of ${rows.length} open` : String(rows.length || "");
}

/**
 * @param {Remark} row
 * @param {boolean} mayAnswer
 * @param {(start: number, end: number) => void} choose
 * @param {() => Promise<void>} again
 */
function remark(row, mayAnswer, choose, again) {
  const { start, end } = row;
  const item = element("li", { class: "remark" }, element("strong", {}, row.by), ` ${row.body} `);
  if (start !== null && end !== null) {
    const place = element("button", { type: "button", class: "plain" }, "Show the place");
    place.addEventListener("click", () => choose(start, end));
    item.append(place);
  }
  if (row.answer) item.append(element("p", { class: "quiet" }, row.answer));
  else if (row.closed_at !== null) item.append(element("p", { class: "quiet" }, "Closed without an answer."));
  else if (mayAnswer) item.append(field(row, again));
  return item;
}

/** @param {Remark} row @param {() => Promise<void>} again */
function field(row, again) {
  const words = /** @type {HTMLTextAreaElement} */ (element("textarea", { rows: "2", maxlength: "4000" }));
  const button = element("button", { type: "submit" }, "Answer");
  const said = element("p", { class: "bad", role: "status" });
  const form = element("form", {}, element("label", {}, "Answer ", words), button, said);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    api("PUT", `remarks/${row.id}`, { answer: words.value.trim() })
      .then(again)
      .catch((error) => (said.textContent = error.message));
  });
  return form;
}
