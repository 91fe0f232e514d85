// The people of a note beside the text: who is meant by each name, and corrections of that.

import { api, element, find } from "./api.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {{role: string, kinship: string, sex: string, mentions: [number, number, string][], belongings: [string, number, number][]}} Person */

const COLOURS = 8;

export class People {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    /** @type {Person[]} */
    this.people = [];
    this.box = /** @type {HTMLDetailsElement} */ (find("#people-box"));
    this.coloured = /** @type {HTMLInputElement} */ (find("#by-person"));
    this.box.addEventListener("toggle", () => void this.load());
    this.coloured.addEventListener("change", () => this.paint());
    find("#people").addEventListener("click", (event) => void this.pressed(event));
  }

  /** Asks who is meant, once everything is saved. */
  async load() {
    if (!this.box.open) return;
    try {
      await this.editor.sync.settled();
      this.people = await api("GET", `assignments/${this.editor.note.id}/people`);
      this.draw();
    } catch (error) {
      this.editor.panel.tell(error instanceof Error ? error.message : "That did not work.");
    }
  }

  /**
   * What a person is called: by the longest mention.
   * @param {Person} person
   */
  name(person) {
    const names = person.mentions.map((m) => this.editor.map.slice(m[0], m[1]).replace(/\s+/g, " "));
    return names.sort((one, other) => other.length - one.length)[0] ?? "";
  }

  draw() {
    const { selection } = this.editor;
    find("#people-count").textContent = String(this.people.length);
    const chosen = this.people.findIndex((p) => p.mentions.some((m) => m[0] === selection[0] && m[1] === selection[1]));
    find("#people").replaceChildren(
      ...this.people.map((person, at) => {
        const what = [person.kinship || person.role, `${person.mentions.length} ×`, ...person.belongings.map((b) => b[0])];
        const row = element(
          "li",
          { class: `person person-${at % COLOURS}` },
          element(
            "button",
            { type: "button", "data-person": String(at) },
            element("span", { class: "words" }, this.name(person)),
            element("span", { class: "name" }, what.join(" · ")),
          ),
        );
        if (chosen >= 0 && chosen !== at) row.append(element("button", { type: "button", class: "plain", "data-same": String(at) }, "same person"));
        if (chosen === at && person.mentions.length > 1) row.append(element("button", { type: "button", class: "plain", "data-other": String(at) }, "not the same"));
        return row;
      }),
    );
    this.paint();
  }

  /** Mentions in the colour of their person, on request. */
  paint() {
    for (let colour = 0; colour < COLOURS; colour += 1) {
      const mine = this.coloured.checked ? this.people.filter((_, at) => at % COLOURS === colour) : [];
      const places = mine.flatMap((p) => p.mentions.map((m) => /** @type {[number, number]} */ ([m[0], m[1]])));
      this.editor.view.highlight(`person-${colour}`, places);
    }
  }

  /** @param {Event} event */
  async pressed(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!(button instanceof HTMLButtonElement)) return;
    const { person, same, other } = button.dataset;
    const [start] = this.editor.selection;
    if (person !== undefined) {
      const { mentions } = this.people[Number(person)];
      const next = mentions.find((m) => m[0] > start) ?? mentions[0];
      this.editor.choose(next[0], next[1]);
      this.draw();
      this.editor.root.focus({ preventScroll: true });
      return;
    }
    const of = this.people[Number(same ?? other)].mentions.find((m) => m[0] !== start);
    if (!of) return;
    const said = { one: of[0], other: start, same: same !== undefined };
    try {
      this.people = await api("POST", `assignments/${this.editor.note.id}/people`, said);
      this.draw();
    } catch (error) {
      this.editor.panel.notice(error instanceof Error ? error.message : "That did not work.");
    }
  }
}
