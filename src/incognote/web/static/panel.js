// What stands beside the text: the chosen span and why, labels, spans, disputes, dialogs.

import { api, element, find } from "./api.js";
import { showRemarks } from "./remarks.js";

/** @typedef {import("./editor.js").Editor} Editor */
/** @typedef {import("./layer.js").Mark} Mark */

const STATES = {
  saved: "Saved",
  saving: "Saving…",
  offline: "Not saved yet: the server is away",
  refused: "Not saved: the server refused it",
  stale: "Changed elsewhere",
  "signed-out": "Not saved yet: ",
};

export class Panel {
  /** @param {Editor} editor */
  constructor(editor) {
    this.editor = editor;
    this.state = find("#saved");
    this.live = find("#live");
  }

  /** @param {string} state */
  saved(state) {
    // The link in it may have the focus; keys go back to the text.
    if (this.state.contains(document.activeElement)) this.editor.root.focus({ preventScroll: true });
    this.state.textContent = STATES[/** @type {keyof typeof STATES} */ (state)];
    this.state.dataset.state = state;
    if (state === "signed-out") {
      const title = "Your session has ended. Nothing on this page is lost: it goes on when you have signed in in the new tab.";
      this.state.append(element("a", { href: "/sign-in", target: "_blank", title }, "sign in again"));
    }
  }

  /**
   * Says something to eyes and to screen readers.
   * @param {string} words
   */
  tell(words) {
    this.live.textContent = words;
    this.state.title = words;
  }

  draw() {
    const { ident, type, assisted, part } = this.editor.note;
    const how = part === "adjudicate" ? "adjudication" : assisted ? "with suggestions" : "without suggestions";
    find("#about").textContent = [ident, type, how].filter(Boolean).join(" · ");
    this.drawLabels();
    this.spansChanged();
    this.drawDisputes();
    this.choose();
  }

  drawLabels() {
    const { editor } = this;
    const byLabel = new Map([...editor.keys].map(([key, name]) => [name, key]));
    const rows = [...editor.labels.values()].map((label) => {
      const key = editor.letters ? byLabel.get(label.name) : undefined;
      const button = element(
        "button",
        { type: "button", class: `label look-${label.look}`, title: label.description },
        label.name,
        ...(key ? [element("kbd", {}, key)] : []),
      );
      button.addEventListener("click", () => {
        editor.label(label.name);
        editor.root.focus({ preventScroll: true });
      });
      return { button, frequent: Boolean(key || label.key) };
    });
    find("#labels").replaceChildren(...rows.filter((r) => r.frequent).map((r) => r.button));
    find("#more-labels").replaceChildren(...rows.filter((r) => !r.frequent).map((r) => r.button));
  }

  spansChanged() {
    const { editor } = this;
    find("#span-count").textContent = String(editor.layer.spans.length);
    // A long list is drawn when the browser has time for it: typing must not wait.
    if (this.pending) return;
    this.pending = true;
    const draw = () => {
      this.pending = false;
      this.drawSpans();
    };
    if ("requestIdleCallback" in window) requestIdleCallback(draw, { timeout: 300 });
    else setTimeout(draw, 30);
  }

  drawSpans() {
    const { editor } = this;
    const rows = editor.layer.spans.map((mark) => {
      const label = editor.labels.get(mark[2]);
      const button = element(
        "button",
        { type: "button", class: `span look-${label ? label.look : "other"}`, "data-at": String(mark[0]) },
        element("span", { class: "words" }, editor.map.slice(mark[0], mark[1]).replace(/\s+/g, " ").slice(0, 60)),
        element("span", { class: "name" }, mark[2]),
      );
      if (editor.isDoubtful(mark)) button.classList.add("doubtful");
      return element("li", {}, button);
    });
    find("#spans").replaceChildren(...rows);
    this.markRow();
  }

  markRow() {
    const [start] = this.editor.selection;
    for (const row of document.querySelectorAll("#spans [aria-current]")) row.removeAttribute("aria-current");
    const row = this.editor.chosen ? document.querySelector(`#spans [data-at="${start}"]`) : null;
    row?.setAttribute("aria-current", "true");
    if (row instanceof HTMLElement) row.scrollIntoView({ block: "nearest" });
  }

  drawDisputes() {
    const { editor } = this;
    if (!editor.disputes.length) return;
    const open = editor.disputes.filter((place) => !place.choice).length;
    find("#dispute-count").textContent = open ? `${open} of ${editor.disputes.length} open` : "all decided";
    const rows = editor.disputes.map((place, at) => {
      const button = element(
        "button",
        { type: "button", class: place.choice ? "dispute decided" : "dispute", "data-at": String(at) },
        element("span", { class: "words" }, editor.map.slice(place.start, place.end).replace(/\s+/g, " ").slice(0, 60)),
        element("span", { class: "name" }, place.choice ?? "open"),
      );
      if (at === editor.dispute) button.setAttribute("aria-current", "true");
      return element("li", {}, button);
    });
    find("#disputes").replaceChildren(...rows);
  }

  /** The chosen words: what they are, who found them, what was dropped. */
  choose() {
    const { editor } = this;
    const [start, end] = editor.selection;
    const box = find("#chosen");
    this.markRow();
    if (start >= end) {
      box.replaceChildren(element("p", { class: "quiet" }, "Choose words with the mouse or the arrow keys."));
      return;
    }
    const words = editor.map.slice(start, end).replace(/\s+/g, " ");
    const { chosen } = editor;
    const parts = [element("p", { class: "quote" }, words.length > 200 ? `${words.slice(0, 200)}…` : words)];
    const place = editor.disputes[editor.dispute];
    if (place && place.start === start && place.end === end) parts.push(this.choices(place));
    else parts.push(element("p", { class: "what" }, chosen ? chosen[2] : "not marked"));
    parts.push(...this.why(start, end), this.rules(Boolean(chosen)));
    box.replaceChildren(...parts);
    const index = chosen ? editor.layer.spans.indexOf(chosen) + 1 : 0;
    this.tell(chosen ? `${chosen[2]}, ${words.slice(0, 80)}, ${index} of ${editor.layer.spans.length}` : words.slice(0, 80));
  }

  /** @param {import("./editor.js").Dispute} place */
  choices(place) {
    const { editor } = this;
    /** @type {["a" | "b" | "ensemble" | "none", string, string][]} */
    const rows = [["a", "A", "1"], ["b", "B", "2"], ["ensemble", "Ensemble", "3"], ["none", "None", "0"]];
    const list = element("div", { class: "choices", role: "group", "aria-label": "Who is right" });
    for (const [who, name, key] of rows) {
      const marks = who === "none" ? [] : place[who];
      const said = marks.map((m) => `${m[2]} “${editor.map.slice(m[0], m[1])}”`).join(", ") || "no PHI";
      const button = element(
        "button",
        { type: "button", class: `choice layer-${who}`, "aria-pressed": String(place.choice === who) },
        element("kbd", {}, key),
        element("strong", {}, name),
        element("span", {}, who === "none" ? "mark nothing here" : said),
      );
      button.addEventListener("click", () => {
        editor.decide(who);
        editor.root.focus({ preventScroll: true });
      });
      list.append(button);
    }
    const reason = /** @type {HTMLInputElement} */ (element("input", { maxlength: "1000", autocomplete: "off" }));
    reason.value = place.reason ?? "";
    reason.addEventListener("change", () => {
      place.reason = reason.value;
      if (place.choice) editor.noteDecision(place);
    });
    list.append(element("label", {}, "Reason ", reason));
    return list;
  }

  /** @param {number} start @param {number} end @returns {HTMLElement[]} */
  why(start, end) {
    const { suggestions, dropped } = this.editor;
    const found = suggestions.filter((s) => s[0] < end && start < s[1]);
    const against = dropped.filter((d) => d[0] < end && start < d[1]);
    const weights = this.editor.note.weights ?? {};
    /** @param {import("./editor.js").Claim} claim who said it, each with its say in this label */
    const by = (claim) =>
      claim[4].map((source) => `${source} (weight ${weights[source.split("/")[0]]?.[claim[2]] ?? "?"})`).join(", ");
    const rows = [
      ...found.map((s) => element("li", {}, element("strong", {}, s[2]), ` ${Math.round(s[3] * 100)} % by ${by(s)}`)),
      ...against.map((d) => element("li", { class: "dropped" }, element("strong", {}, d[2]), ` by ${by(d)}: ${d[5]}`)),
    ];
    if (!rows.length) {
      return this.editor.note.assisted ? [element("p", { class: "quiet" }, "No member of the ensemble claimed these words.")] : [];
    }
    return [element("h3", {}, "Why"), element("ul", { class: "why" }, ...rows)];
  }

  /**
   * One click turns what is chosen into a proposed rule.
   * @param {boolean} isMarked
   */
  rules(isMarked) {
    const box = element("p", { class: "actions rules" });
    /** @param {"term" | "never" | "template"} kind @param {string} words */
    const rule = (kind, words) => {
      const button = element("button", { type: "button", class: "plain" }, words);
      button.addEventListener("click", () => {
        void this.editor.propose(kind);
        this.editor.root.focus({ preventScroll: true });
      });
      return button;
    };
    const rules = isMarked
      ? [rule("term", "always mark this"), rule("template", "sentences of this form")]
      : [rule("never", "never mark this")];
    box.append(element("span", { class: "quiet" }, "Propose a rule:"), ...rules);
    return box;
  }

  /** @param {number} count */
  repeated(count) {
    this.notice(`${count} ${count === 1 ? "place" : "places"} with this text. Enter marks, Delete unmarks, Escape leaves.`);
  }

  /**
   * Says something that must not be overlooked.
   * @param {string} words
   */
  notice(words) {
    find("#chosen").prepend(element("p", { class: "notice" }, words));
    this.tell(words);
  }

  // ---- dialogs and buttons ----

  /** @param {[string, string][]} help */
  connect(help) {
    const { editor } = this;
    /** @type {Record<string, () => void>} */
    const actions = {
      undo: () => editor.undo(),
      redo: () => editor.redo(),
      find: () => this.findText(),
      same: () => editor.showRepeated(),
      remark: () => this.remark(),
      help: () => this.help(),
      previous: () => editor.step(-1, false),
      next: () => editor.step(1, false),
      doubtful: () => editor.step(1, true),
      remove: () => editor.remove(),
      longer: () => editor.stretch("end", 1, false),
      shorter: () => editor.stretch("end", -1, false),
      earlier: () => editor.stretch("start", -1, false),
      later: () => editor.stretch("start", 1, false),
      filter: () => this.chooseLabel(),
      skip: () => this.skip(),
      reopen: () => void editor.reopen(),
      done: () => void editor.done(),
    };
    if (editor.closed) {
      find("[data-do=skip]").hidden = true;
      find("[data-do=reopen]").hidden = false;
      this.notice(`This note is ${editor.note.state}. Open it again to change it.`);
    }
    for (const button of document.querySelectorAll("[data-do]")) {
      if (!(button instanceof HTMLElement)) continue;
      const action = actions[button.dataset.do ?? ""];
      button.addEventListener("click", () => {
        editor.worked();
        action();
        if (!document.querySelector("dialog[open]")) editor.root.focus({ preventScroll: true });
      });
    }
    find("#spans").addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest("[data-at]") : null;
      if (!(row instanceof HTMLElement)) return;
      const mark = editor.layer.spans.find((each) => each[0] === Number(row.dataset.at));
      if (mark) editor.choose(mark[0], mark[1]);
      editor.root.focus({ preventScroll: true });
    });
    document.querySelector("#disputes")?.addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest("[data-at]") : null;
      if (row instanceof HTMLElement) editor.chooseDispute(Number(row.dataset.at));
      editor.root.focus({ preventScroll: true });
    });
    find("#help dl").replaceChildren(
      ...help.flatMap(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)]),
    );
    void this.drawRemarks();
    for (const dialog of document.querySelectorAll("dialog")) {
      dialog.addEventListener("close", () => editor.root.focus({ preventScroll: true }));
    }
  }

  leaveText() {
    find("#done").focus();
    this.tell("Left the text. Tab moves between buttons.");
  }

  help() {
    dialog("#help").showModal();
  }

  /** @param {string} question @returns {Promise<boolean>} */
  ask(question) {
    const box = dialog("#ask");
    find("#ask p").textContent = question;
    return answer(box).then((value) => value === "yes");
  }

  /** @param {Mark[]} mine @param {Mark[]} theirs @returns {Promise<"mine" | "theirs" | "both">} what is kept */
  compare(mine, theirs) {
    const { map } = this.editor;
    /** @param {Mark[]} one @param {Mark[]} other */
    const rows = (one, other) => {
      const only = one.filter((m) => !other.some((o) => o[0] === m[0] && o[1] === m[1] && o[2] === m[2]));
      return only.map((m) => element("li", {}, `${m[2]}: ${map.slice(m[0], m[1]).slice(0, 60)}`));
    };
    find("#conflict-mine").replaceChildren(...rows(mine, theirs));
    find("#conflict-theirs").replaceChildren(...rows(theirs, mine));
    // Whoever closes the dialog without a choice loses nothing of either.
    return answer(dialog("#conflict")).then((value) => (value === "mine" || value === "theirs" ? value : "both"));
  }

  chooseLabel() {
    const { editor } = this;
    const box = dialog("#filter");
    const input = /** @type {HTMLInputElement} */ (find("#filter input"));
    const list = find("#filter ul");
    let chosen = 0;
    /** @returns {string[]} */
    const names = () => {
      const wanted = input.value.trim().toUpperCase();
      const all = [...editor.labels.keys()];
      return [...all.filter((n) => n.startsWith(wanted)), ...all.filter((n) => !n.startsWith(wanted) && n.includes(wanted))];
    };
    const draw = () => {
      list.replaceChildren(
        ...names().map((name, at) => {
          const button = element("button", { type: "button", class: "label" }, name);
          if (at === chosen) button.classList.add("current");
          button.addEventListener("click", () => box.close(name));
          return element("li", {}, button);
        }),
      );
    };
    input.value = "";
    input.oninput = () => {
      chosen = 0;
      draw();
    };
    input.onkeydown = (event) => {
      const count = names().length;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        chosen = (chosen + (event.key === "ArrowDown" ? 1 : count - 1)) % Math.max(1, count);
        draw();
        event.preventDefault();
      } else if (event.key === "Enter") {
        event.preventDefault();
        box.close(names()[chosen] ?? "");
      }
    };
    draw();
    void answer(box).then((name) => name && editor.label(name));
    input.focus();
  }

  findText() {
    const { editor } = this;
    const box = dialog("#find");
    const input = /** @type {HTMLInputElement} */ (find("#find input"));
    const count = find("#find output");
    /** @type {[number, number][]} */
    let hits = [];
    let at = -1;
    input.oninput = () => {
      hits = [];
      at = -1;
      const wanted = input.value.toLowerCase();
      const text = editor.map.text.toLowerCase();
      // Letters that change their length in lower case would move every place after them.
      const haystack = text.length === editor.map.text.length ? text : editor.map.text;
      for (let from = wanted ? haystack.indexOf(wanted) : -1; from >= 0 && hits.length < 5000; from = haystack.indexOf(wanted, from + wanted.length)) {
        hits.push([editor.map.toPoints(from), editor.map.toPoints(from + wanted.length)]);
      }
      count.textContent = wanted ? `${hits.length} found` : "";
      editor.view.highlight("found", hits);
    };
    input.onkeydown = (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (!hits.length) return;
      at = (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
      count.textContent = `${at + 1} of ${hits.length}`;
      editor.choose(...hits[at]);
    };
    box.onclose = () => editor.view.highlight("found", []);
    box.show();
    input.focus();
    input.select();
  }

  remark() {
    const { editor } = this;
    const input = /** @type {HTMLTextAreaElement} */ (find("#remark textarea"));
    input.value = "";
    const [start, end] = editor.selection;
    void answer(dialog("#remark")).then(async (value) => {
      if (value !== "yes" || !input.value.trim()) return;
      const place = start < end ? { start, end } : {};
      try {
        await api("POST", `documents/${editor.note.document}/remarks`, { body: input.value, ...place });
      } catch (error) {
        this.notice(error instanceof Error ? error.message : "The remark was not saved.");
        return;
      }
      this.tell("The remark was saved.");
      /** @type {HTMLDetailsElement} */ (find("#remarks-box")).open = true;
      await this.drawRemarks();
    });
    input.focus();
  }

  /** What was asked about this note, and the answers. */
  async drawRemarks() {
    const { editor } = this;
    const choose = (/** @type {number} */ start, /** @type {number} */ end) => {
      editor.choose(start, end);
      editor.root.focus({ preventScroll: true });
    };
    try {
      await showRemarks(editor.note.document, editor.note.part === "adjudicate", choose);
    } catch {
      this.tell("The remarks could not be read.");
    }
  }

  skip() {
    const { editor } = this;
    const input = /** @type {HTMLInputElement} */ (find("#skip input"));
    input.value = "";
    void answer(dialog("#skip")).then((value) => {
      if (value === "yes" && input.value.trim()) void editor.skip(input.value.trim());
    });
    input.focus();
  }
}

/** @param {string} selector @returns {HTMLDialogElement} */
function dialog(selector) {
  return /** @type {HTMLDialogElement} */ (find(selector));
}

/**
 * What a dialog was closed with.
 * @param {HTMLDialogElement} box
 * @returns {Promise<string>}
 */
function answer(box) {
  box.returnValue = "";
  box.showModal();
  return new Promise((resolve) => {
    box.addEventListener("close", () => resolve(box.returnValue), { once: true });
  });
}
