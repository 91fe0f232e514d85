// Sends edits until the server has confirmed them. "Saved" is said after its answer only.

import { api, ApiError } from "./api.js";

/** @typedef {import("./layer.js").Edit} Edit */
/** @typedef {Edit & {active_ms: number, keystrokes: number}} Sent */

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;
const SIGNED_OUT_WAIT = 3000;

export class Sync {
  /** @param {number} assignment @param {(state: string) => void} said
   * @param {(answer: any) => void} stale */
  constructor(assignment, said, stale) {
    this.assignment = assignment;
    this.said = said;
    this.stale = stale;
    /** @type {Sent[]} */
    this.waiting = [];
    this.wait = FIRST_WAIT;
    this.busy = false;
    this.stopped = false;
    /** The session has ended: what was not sent waits for a new one. */
    this.away = false;
    /** A 403 may mean that the page's token is of an old session: a new one is tried once. */
    this.renewed = false;
    addEventListener("online", () => this.send());
    addEventListener("beforeunload", (event) => {
      if (this.waiting.length) event.preventDefault();
    });
  }

  /** @param {Sent} edit */
  push(edit) {
    this.waiting.push(edit);
    this.said("saving");
    void this.send();
  }

  async send() {
    if (this.busy || this.stopped || !this.waiting.length) return;
    this.busy = true;
    const batch = this.waiting.slice(0, 200);
    try {
      // Somebody may have signed in again in another tab: the page takes the token of that session.
      if (this.away) await api("GET", "session", undefined, { stay: true });
      this.away = false;
      await api("POST", `assignments/${this.assignment}/edits`, { edits: batch }, { stay: true });
      this.waiting = this.waiting.slice(batch.length);
      this.wait = FIRST_WAIT;
      this.renewed = false;
      this.said(this.waiting.length ? "saving" : "saved");
    } catch (error) {
      this.failed(error);
    } finally {
      this.busy = false;
    }
    if (this.waiting.length && !this.stopped) {
      if (this.wait === FIRST_WAIT) void this.send();
      else setTimeout(() => this.send(), this.wait);
    }
  }

  /** @param {unknown} error */
  failed(error) {
    if (error instanceof ApiError && error.status === 409 && "revision" in (error.answer ?? {})) {
      this.stopped = true;
      this.said("stale");
      this.stale(error.answer);
      return;
    }
    if (error instanceof ApiError && (error.status === 401 || (error.status === 403 && !this.renewed))) {
      this.away = true;
      this.renewed = error.status === 403;
      this.wait = SIGNED_OUT_WAIT;
      this.said("signed-out");
      return;
    }
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) {
      this.stopped = true;
      this.said("refused");
      return;
    }
    // The server is away: try again, more and more slowly.
    this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
    this.said("offline");
  }

  /** Forgets what was not sent, after a conflict was settled. */
  reset() {
    this.waiting = [];
    this.stopped = false;
    this.wait = FIRST_WAIT;
  }

  /**
   * When everything is confirmed.
   * @returns {Promise<void>}
   */
  async settled() {
    while (this.waiting.length && !this.stopped) {
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    if (this.stopped) throw new Error("not everything could be saved");
  }
}
