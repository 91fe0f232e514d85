// The note editor. One note, one person; every key has a button, every change is a numbered edit.

import { api, ApiError, element, find } from "./api.js";
import { listen } from "./keys.js";
import { inOrder, Layer, same } from "./layer.js";
import { TextMap, Words } from "./offsets.js";
import { Panel } from "./panel.js";
import { People } from "./people.js";
import { Sync } from "./sync.js";
import { View } from "./view.js";

/** @typedef {import("./layer.js").Mark} Mark */
/** @typedef {{name: string, category: string, look: string, key: string, description: string}} Label */
/** @typedef {{start: number, end: number, a: Mark[], b: Mark[], ensemble: Mark[], choice?: string | null, reason?: string}} Dispute */
/** @typedef {[number, number, string, number, string[], string]} Claim */

const PAUSE = 60_000;
const UNSURE = 0.85;

export class Editor {
  /** @param {any} note @param {{keys?: Record<string, string>, letters?: boolean}} settings */
  constructor(note, settings) {
    this.note = note;
    /** @type {Map<string, Label>} */
    this.labels = new Map(note.labels.map((/** @type {Label} */ label) => [label.name, label]));
    this.letters = settings.letters !== false;
    this.keys = keysOf(note.labels, settings.keys ?? {});
    this.map = new TextMap(note.text);
    this.words = new Words(this.map);
    this.layer = new Layer(note.spans, note.revision);
    /** @type {Claim[]} */
    this.suggestions = note.suggestions ?? [];
    /** @type {Claim[]} */
    this.dropped = note.dropped ?? [];
    this.doubtful = doubtfulOf(this.suggestions, this.dropped);
    /** @type {Dispute[]} */
    this.disputes = note.disputes ?? [];
    /**
     * The chosen stretch: a span, a dispute or a selection.
     * @type {[number, number]}
     */
    this.selection = [0, 0];
    this.anchor = 0;
    this.dispute = -1;
    /** Decisions on their way to the server. @type {Promise<unknown>} */
    this.noted = Promise.resolve();
    this.lastLabel = "";
    /**
     * Places of the same text, while they are shown.
     * @type {[number, number][]}
     */
    this.repeated = [];
    this.sawEnd = false;
    this.leaving = false;
    this.activeSince = performance.now();
    this.active = 0;
    this.strokes = 0;
    this.root = find("#text");
    this.view = new View(this.root, this.map, this.labels);
    this.panel = new Panel(this);
    this.sync = new Sync(note.id, (state) => this.panel.saved(state), (theirs) => this.conflict(theirs));
    this.view.draw((start, end) => this.layer.within(start, end), (mark) => this.classes(mark));
    this.panel.draw();
    this.paint();
    this.watchEnd();
    this.people = new People(this);
    this.root.addEventListener("mouseup", (event) => this.fromMouse(event));
    this.root.addEventListener("mousedown", () => this.worked());
    this.root.addEventListener("scroll", () => this.worked(), { passive: true });
    // A link may name a place: "#12-30". What follows "#" never travels.
    const place = /^#(\d+)-(\d+)$/.exec(location.hash);
    if (place) this.choose(Number(place[1]), Number(place[2]));
    else if (this.disputes.length) this.chooseDispute(0);
    this.root.focus({ preventScroll: true });
    // Blocks have their heights after the first frame; before it places are guesses.
    const [from, to] = this.selection;
    if (from < to) void painted().then(() => this.view.reveal(from, to));
  }

  get editable() {
    return Boolean(this.note.editable);
  }

  /** Whether its person has finished with it. */
  get closed() {
    return ["done", "skipped"].includes(this.note.state);
  }

  /**
   * The span that is exactly the selection.
   * @returns {Mark | undefined}
   */
  get chosen() {
    const [start, end] = this.selection;
    return this.layer.within(start, Math.max(end, start + 1)).find((m) => m[0] === start && m[1] === end);
  }

  /** @param {Mark} mark */
  classes(mark) {
    const [start, end] = this.selection;
    const chosen = mark[0] === start && mark[1] === end ? "chosen" : "";
    return `${chosen} ${this.isDoubtful(mark) ? "doubtful" : ""}`.trim();
  }

  /**
   * The ensemble is not sure of it, or one of its members objected.
   * @param {Mark} mark
   */
  isDoubtful(mark) {
    return this.doubtful.has(mark.join());
  }

  // ---- looking ----

  watchEnd() {
    const last = this.view.blocks[this.view.blocks.length - 1].box;
    const mark = element("div", { class: "end", "aria-hidden": "true" });
    last.after(mark);
    new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) this.sawEnd = true;
      },
      { root: this.root },
    ).observe(mark);
  }

  paint() {
    const [start, end] = this.selection;
    this.view.highlight("selected", this.chosen ? [] : [[start, end]]);
    this.view.highlight("same", this.repeated);
    for (const who of /** @type {("a" | "b" | "ensemble")[]} */ (["a", "b", "ensemble"])) {
      const places = this.disputes.flatMap((d) => d[who].map((m) => /** @type {[number, number]} */ ([m[0], m[1]])));
      this.view.highlight(`layer-${who}`, places);
    }
    const place = this.disputes[this.dispute];
    this.view.highlight("dispute", place ? [[place.start, place.end]] : []);
  }

  /**
   * Chooses a stretch and says so.
   * @param {number} start
   * @param {number} end
   * @param {boolean} [scroll]
   */
  choose(start, end, scroll = true) {
    const [from, to] = this.selection;
    this.selection = [start, end];
    this.view.redraw(from, to);
    this.view.redraw(start, end);
    this.paint();
    if (scroll) this.view.reveal(start, end);
    this.panel.choose();
    if (this.people && this.people.box.open) this.people.draw();
  }

  /**
   * A correction as a rule for the policy; a manager sees what it changes before signing it.
   * @param {"term" | "never" | "template"} kind
   */
  async propose(kind) {
    const [start, end] = this.selection;
    const label = this.chosen ? this.chosen[2] : "";
    const claim = this.suggestions.find((s) => s[0] < end && start < s[1]);
    const body = { kind, word: this.map.slice(start, end), label: kind === "term" ? label : claim ? claim[2] : "", document: this.note.document, start };
    try {
      await api("POST", `projects/${this.root.dataset.project}/proposals`, body);
      this.panel.notice("Proposed. A manager sees what it would change on all notes, and signs it.");
    } catch (error) {
      this.panel.notice(error instanceof Error ? error.message : "That did not work.");
    }
  }

  /** @param {number} step @param {boolean} doubtful */
  step(step, doubtful) {
    if (this.disputes.length && !doubtful) {
      const undecided = this.disputes.length;
      this.chooseDispute((this.dispute + step + undecided) % undecided);
      return;
    }
    const spans = doubtful ? this.layer.spans.filter((mark) => this.isDoubtful(mark)) : this.layer.spans;
    if (!spans.length) {
      this.panel.tell(doubtful ? "No doubtful spans." : "No spans in this note.");
      return;
    }
    const [start, end] = this.selection;
    let at;
    if (step > 0) {
      at = spans.findIndex((m) => m[0] > start || (m[0] === start && m[1] > end));
      if (at < 0 || (start === 0 && end === 0 && spans[0][0] === 0)) at = 0;
    } else {
      at = spans.length - 1;
      while (at >= 0 && spans[at][0] >= start) at -= 1;
      if (at < 0) at = spans.length - 1;
    }
    this.anchor = spans[at][0];
    this.choose(spans[at][0], spans[at][1]);
  }

  /**
   * The word caret.
   * @param {number} step
   * @param {"move" | "word" | "character"} how
   */
  arrow(step, how) {
    const [start, end] = this.selection;
    if (how === "character") {
      const to = Math.max(start + 1, Math.min(this.map.length, end + step));
      this.choose(start, to);
    } else if (how === "word") {
      this.choose(start, this.nextEdge(end, step, start));
    } else {
      const { words } = this;
      if (!words.count) return;
      let at = words.at(step > 0 ? Math.max(end, start) : start);
      if (step < 0) at = Math.max(0, words.at(start) - 1);
      else if (start === 0 && end === 0) at = 0;
      at = Math.min(words.count - 1, at);
      this.anchor = words.starts[at];
      this.choose(words.starts[at], words.ends[at]);
    }
  }

  /**
   * The first or the last word of the note.
   * @param {number} way
   */
  edge(way) {
    const at = way > 0 ? 0 : this.words.count - 1;
    if (this.words.count) this.choose(this.words.starts[at], this.words.ends[at]);
  }

  /**
   * The end of the next or the last word, not before `least`.
   * @param {number} end
   * @param {number} step
   * @param {number} least
   */
  nextEdge(end, step, least) {
    const { words } = this;
    if (step > 0) {
      const at = Math.min(words.count - 1, words.at(end));
      return at < 0 ? end : Math.max(end, words.ends[at]);
    }
    let at = Math.min(words.count - 1, words.at(end - 1));
    while (at >= 0 && words.ends[at] >= end) at -= 1;
    const found = at >= 0 ? words.ends[at] : end;
    return found > least ? found : end;
  }

  /** @param {number} start @param {number} step @param {number} most */
  lastEdge(start, step, most) {
    const { words } = this;
    if (step < 0) {
      let at = Math.min(words.count - 1, words.at(start));
      while (at >= 0 && words.starts[at] >= start) at -= 1;
      return at >= 0 ? words.starts[at] : start;
    }
    let at = words.at(start);
    while (at < words.count && words.starts[at] <= start) at += 1;
    return at < words.count && words.starts[at] < most ? words.starts[at] : start;
  }

  /**
   * The word above or below.
   * @param {number} step
   */
  line(step) {
    const range = this.view.range(...this.selection);
    if (!range) return;
    const box = range.getBoundingClientRect();
    const height = box.height > 40 ? 22 : box.height;
    const y = step > 0 ? box.bottom + height * 0.6 : box.top - height * 0.6;
    const place = document.caretPositionFromPoint
      ? document.caretPositionFromPoint(box.left + 1, y)
      : null;
    let point = place ? this.view.pointOf(place.offsetNode, place.offset) : -1;
    if (point < 0 && document.caretRangeFromPoint) {
      const found = document.caretRangeFromPoint(box.left + 1, y);
      point = found ? this.view.pointOf(found.startContainer, found.startOffset) : -1;
    }
    if (point < 0) return;
    const at = Math.min(this.words.count - 1, this.words.at(point));
    if (at >= 0) this.choose(this.words.starts[at], this.words.ends[at]);
  }

  screenful() {
    this.root.scrollTop += this.root.clientHeight * 0.9;
  }

  /** @param {MouseEvent} event */
  fromMouse(event) {
    this.worked();
    const selection = getSelection();
    if (!selection || selection.rangeCount === 0) return;
    let start = this.view.pointOf(selection.anchorNode, selection.anchorOffset);
    let end = this.view.pointOf(selection.focusNode, selection.focusOffset);
    if (start < 0 || end < 0) return;
    if (start > end) [start, end] = [end, start];
    if (start === end) {
      const index = this.layer.indexAt(start);
      if (index >= 0) {
        const [from, to] = this.layer.spans[index];
        this.choose(from, to, false);
        return;
      }
      const place = this.disputes.findIndex((d) => d.start <= start && start < d.end);
      if (place >= 0) {
        this.chooseDispute(place, false);
        return;
      }
      const at = this.words.at(start);
      if (at < this.words.count && this.words.starts[at] <= start) {
        this.choose(this.words.starts[at], this.words.ends[at], false);
      } else {
        this.choose(start, start, false);
      }
      return;
    }
    selection.removeAllRanges();
    const [from, to] = event.altKey ? [start, end] : this.words.snap(start, end);
    this.choose(from, to, false);
  }

  // ---- changing ----

  worked() {
    const at = performance.now();
    this.active += Math.min(PAUSE, at - this.activeSince);
    this.activeSince = at;
  }

  effort() {
    this.worked();
    const spent = { active_ms: Math.round(this.active), keystrokes: this.strokes };
    this.active = 0;
    this.strokes = 0;
    return spent;
  }

  /** Whether nothing can be changed; says so. */
  isFixed() {
    if (!this.editable) this.panel.tell("This note cannot be changed now.");
    return !this.editable;
  }

  /** @param {string} operation @param {Mark[]} before @param {Mark[]} after */
  change(operation, before, after) {
    if (this.isFixed()) return;
    const gone = before.filter((mark) => !after.some((other) => same(mark, other)));
    const come = after.filter((mark) => !before.some((other) => same(mark, other)));
    if (!gone.length && !come.length) return;
    this.sent(this.layer.change(operation, gone, come));
  }

  /** @param {import("./layer.js").Edit | null} edit */
  sent(edit) {
    if (!edit) return;
    for (const [start, end] of [...edit.before, ...edit.after]) this.view.redraw(start, end);
    this.sync.push({ ...edit, ...this.effort() });
    this.panel.spansChanged();
    this.paint();
    void this.people.load();
  }

  /**
   * Labels the chosen span or the selection; what it overlaps makes room.
   * @param {string} label
   */
  label(label) {
    const [start, end] = this.selection;
    if (!this.labels.has(label) || this.isFixed()) return;
    if (start >= end) {
      this.panel.tell("Choose words first.");
      return;
    }
    this.lastLabel = label;
    const mark = /** @type {Mark} */ ([start, end, label]);
    this.change(this.chosen ? "relabel" : "add", this.layer.within(start, end), [mark]);
    this.settleDispute("edited");
    this.choose(start, end, false);
    this.panel.tell(`${label}: ${this.map.slice(start, end).slice(0, 60)}`);
  }

  remove() {
    if (this.isFixed()) return;
    if (this.repeated.length) {
      this.unmarkRepeated();
      return;
    }
    const [start, end] = this.selection;
    const gone = this.chosen ? [this.chosen] : this.layer.within(start, end);
    if (!gone.length) return;
    this.change("remove", gone, []);
    this.settleDispute("edited");
    this.choose(start, end, false);
    this.panel.tell("Removed.");
  }

  /**
   * Moves an edge of the chosen span.
   * @param {"start" | "end"} edge
   * @param {number} step
   * @param {boolean} byCharacter
   */
  stretch(edge, step, byCharacter) {
    if (this.isFixed()) return;
    const chosen = this.chosen;
    let [start, end] = this.selection;
    if (edge === "end") {
      end = byCharacter ? end + step : this.nextEdge(end, step, start);
    } else {
      start = byCharacter ? start + step : this.lastEdge(start, step, end);
    }
    start = Math.max(0, start);
    end = Math.min(this.map.length, end);
    if (start >= end) return;
    if (chosen) {
      const others = this.layer.within(start, end).filter((mark) => !same(mark, chosen));
      if (others.length) {
        this.panel.tell("Another span is in the way.");
        return;
      }
      this.change("stretch", [chosen], [[start, end, chosen[2]]]);
      this.settleDispute("edited");
    }
    this.choose(start, end);
  }

  undo() {
    this.sent(this.editable ? this.layer.undo() : null);
    this.panel.choose();
  }

  redo() {
    this.sent(this.editable ? this.layer.redo() : null);
    this.panel.choose();
  }

  /** Shows where else the chosen text stands. */
  showRepeated() {
    const [start, end] = this.selection;
    if (start >= end) return;
    this.repeated = this.occurrences(this.map.slice(start, end));
    this.paint();
    this.panel.repeated(this.repeated.length);
  }

  /** @param {string} text @returns {[number, number][]} */
  occurrences(text) {
    /** @type {[number, number][]} */
    const found = [];
    const isWord = /[\p{L}\p{N}]/u;
    let from = 0;
    for (;;) {
      const at = this.map.text.indexOf(text, from);
      if (at < 0) return found;
      const before = [...this.map.text.slice(Math.max(0, at - 2), at)].pop() ?? "";
      const after = [...this.map.text.slice(at + text.length, at + text.length + 2)][0] ?? "";
      const edges = !(isWord.test(before) && isWord.test(text[0])) && !(isWord.test(after) && isWord.test(text[text.length - 1]));
      if (edges) found.push([this.map.toPoints(at), this.map.toPoints(at + text.length)]);
      from = at + text.length;
    }
  }

  markRepeated() {
    const label = this.chosen ? this.chosen[2] : this.lastLabel;
    if (!label) {
      this.panel.tell("Label one of them first.");
      return;
    }
    const free = this.repeated.filter(([s, e]) => !this.layer.within(s, e).some((m) => m[0] < s || m[1] > e));
    const before = free.flatMap(([s, e]) => this.layer.within(s, e));
    const after = free.map(([s, e]) => /** @type {Mark} */ ([s, e, label]));
    this.repeated = [];
    this.change("mark all", before, after);
    this.panel.tell(`${after.length} places are ${label}.`);
    this.paint();
  }

  unmarkRepeated() {
    const gone = this.repeated.flatMap(([s, e]) => this.layer.within(s, e).filter((m) => m[0] === s && m[1] === e));
    this.repeated = [];
    this.change("unmark all", gone, []);
    this.panel.tell(`${gone.length} marks removed.`);
    this.choose(...this.selection, false);
  }

  forgetRepeated() {
    if (!this.repeated.length) return false;
    this.repeated = [];
    this.paint();
    this.panel.choose();
    return true;
  }

  // ---- adjudication ----

  /** @param {number} at @param {boolean} [scroll] */
  chooseDispute(at, scroll = true) {
    this.dispute = at;
    const place = this.disputes[at];
    this.choose(place.start, place.end, scroll);
  }

  /** @param {"a" | "b" | "ensemble" | "none"} choice */
  decide(choice) {
    const place = this.disputes[this.dispute];
    if (!place || !this.editable) return;
    const wanted = choice === "none" ? [] : place[choice];
    const from = Math.min(place.start, ...wanted.map((m) => m[0]));
    const to = Math.max(place.end, ...wanted.map((m) => m[1]));
    this.change(`decide ${choice}`, this.layer.within(from, to), wanted);
    this.settleDispute(choice);
    const next = this.disputes.findIndex((each, at) => at > this.dispute && !each.choice);
    if (next >= 0) this.chooseDispute(next);
    else this.chooseDispute(this.dispute);
  }

  /** @param {string} choice */
  settleDispute(choice) {
    const [start, end] = this.selection;
    const place = this.disputes.find((d) => d.start < Math.max(end, start + 1) && start < d.end);
    if (!place) return;
    place.choice = choice;
    this.noteDecision(place);
    this.panel.drawDisputes();
  }

  /**
   * Tells the server how a place was settled, one after the other.
   * @param {Dispute} place
   */
  noteDecision(place) {
    const row = { start: place.start, end: place.end, choice: place.choice, reason: place.reason ?? "" };
    this.noted = this.noted
      .then(() => this.sync.settled())
      .then(() => api("POST", `documents/${this.note.document}/decisions`, row))
      .catch(() => {
        place.choice = null;
        this.panel.drawDisputes();
        this.panel.notice("The decision was not noted: choose again.");
      });
  }

  // ---- leaving ----

  async done() {
    if (this.closed) {
      await this.next();
      return;
    }
    const open = this.disputes.filter((place) => !place.choice).length;
    if (open) {
      const next = this.disputes.findIndex((place) => !place.choice);
      this.chooseDispute(next);
      this.panel.notice(open === 1 ? "One place is not decided yet." : `${open} places are not decided yet.`);
      return;
    }
    if (this.leaving) return;
    this.leaving = true;
    try {
      // Who reads on and is done in one breath has seen the end in the frame that comes.
      if (!this.sawEnd) await painted();
      if (!this.sawEnd && !(await this.panel.ask("The end of this note was never on screen. Done all the same?"))) return;
      await this.sync.settled();
      await this.noted;
      await api("POST", `assignments/${this.note.id}/done`, { revision: this.layer.revision, ...this.effort() });
      await this.next();
    } catch (error) {
      this.panel.notice(error instanceof Error ? error.message : "That did not work.");
    } finally {
      this.leaving = false;
    }
  }

  async next() {
    const found = await api("POST", `projects/${this.root.dataset.project}/next?part=${this.note.part}`);
    location.assign(found.id ? `/edit/${found.id}` : `/projects/${this.root.dataset.project}?finished=1`);
  }

  /** @param {string} reason */
  async skip(reason) {
    try {
      await this.sync.settled();
      await api("POST", `assignments/${this.note.id}/skip`, { reason });
      await this.next();
    } catch (error) {
      this.panel.notice(error instanceof Error ? error.message : "That did not work.");
    }
  }

  /** Takes a finished note back, to correct it. */
  async reopen() {
    try {
      await api("POST", `assignments/${this.note.id}/reopen`);
      location.reload();
    } catch (error) {
      this.panel.notice(error instanceof Error ? error.message : "That did not work.");
    }
  }

  /**
   * Two tabs, or two machines: shows both versions and lets the person choose.
   * @param {{revision: number, spans: Mark[]}} theirs
   */
  async conflict(theirs) {
    const mine = [...this.layer.spans];
    const kept = await this.panel.compare(mine, theirs.spans);
    this.sync.reset();
    this.layer = new Layer(theirs.spans, theirs.revision);
    this.view.draw((start, end) => this.layer.within(start, end), (mark) => this.classes(mark));
    const there = this.layer.spans;
    let come = mine.filter((mark) => !there.some((other) => same(mark, other)));
    let gone = there.filter((mark) => !mine.some((other) => same(mark, other)));
    if (kept === "both") {
      gone = [];
      come = come.filter((mark) => !this.layer.within(mark[0], mark[1]).length);
    }
    if (kept !== "theirs" && gone.length + come.length) this.sent(this.layer.change(`keep ${kept}`, gone, come.sort(inOrder)));
    this.panel.saved(this.sync.waiting.length ? "saving" : "saved");
    this.panel.draw();
    this.paint();
  }
}

/** After the next frame: what it showed, and where, is known by then. */
async function painted() {
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/**
 * Suggestions to look at twice, as "start,end,label".
 * @param {Claim[]} suggestions
 * @param {Claim[]} dropped
 */
function doubtfulOf(suggestions, dropped) {
  const against = [...dropped].sort((one, other) => one[0] - other[0]);
  const longest = Math.max(0, ...against.map((d) => d[1] - d[0]));
  const found = new Set();
  let from = 0;
  for (const claim of [...suggestions].sort((one, other) => one[0] - other[0])) {
    const [start, end, label, score] = claim;
    while (from < against.length && against[from][0] < start - longest) from += 1;
    let objected = false;
    for (let at = from; at < against.length && against[at][0] < end; at += 1) {
      objected ||= against[at][1] > start && against[at][2] !== label;
    }
    if (score < UNSURE || objected) found.add([start, end, label].join());
  }
  return found;
}

/**
 * Letter -> label: the project's keys, changed by the person's own.
 * @param {Label[]} labels
 * @param {Record<string, string>} own
 */
function keysOf(labels, own) {
  const keys = new Map();
  for (const label of labels) {
    const key = own[label.name] ?? label.key;
    if (key && !keys.has(key)) keys.set(key, label.name);
  }
  return keys;
}

async function open() {
  const root = find("#text");
  try {
    const note = await api("GET", `assignments/${root.dataset.assignment}`);
    const editor = new Editor(note, JSON.parse(root.dataset.settings ?? "{}"));
    listen(editor);
    root.removeAttribute("aria-busy");
    // After the frame in which the note is painted; `python -m bench.workbench` reads it.
    requestAnimationFrame(() => setTimeout(() => performance.mark("note-painted"), 0));
  } catch (error) {
    root.textContent = error instanceof ApiError ? error.message : "This note could not be opened.";
    root.removeAttribute("aria-busy");
    throw error;
  }
}

if (document.querySelector("#text[data-assignment]")) void open();
