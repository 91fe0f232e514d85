// The spans of a note and the edits that change them: the same rules as the server's flow/edits.py.

/** @typedef {[number, number, string]} Mark  start, end (code points), label */
/** @typedef {{number: number, operation: string, before: Mark[], after: Mark[]}} Edit */

/** @param {Mark} one @param {Mark} other */
export const same = (one, other) =>
  one[0] === other[0] && one[1] === other[1] && one[2] === other[2];

/** @param {Mark} one @param {Mark} other */
export const inOrder = (one, other) => one[0] - other[0] || one[1] - other[1];

export class Layer {
  /** @param {Mark[]} spans @param {number} revision */
  constructor(spans, revision) {
    /** @type {Mark[]} */
    this.spans = spans.map((mark) => /** @type {Mark} */ ([...mark])).sort(inOrder);
    this.revision = revision;
    /** @type {Edit[]} */
    this.undoable = [];
    /** @type {Edit[]} */
    this.redoable = [];
  }

  /**
   * The index of the span at a position, or -1.
   * @param {number} point
   */
  indexAt(point) {
    const index = this.firstEndingAfter(point);
    return index < this.spans.length && this.spans[index][0] <= point ? index : -1;
  }

  /** @param {number} point */
  firstEndingAfter(point) {
    let low = 0;
    let high = this.spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.spans[middle][1] <= point) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Spans that touch a stretch.
   * @param {number} start
   * @param {number} end
   * @returns {Mark[]}
   */
  within(start, end) {
    const found = [];
    for (let at = this.firstEndingAfter(start); at < this.spans.length; at += 1) {
      if (this.spans[at][0] >= end) break;
      found.push(this.spans[at]);
    }
    return found;
  }

  /**
   * Takes `before` away and puts `after` in; returns the numbered edit.
   * @param {string} operation
   * @param {Mark[]} before
   * @param {Mark[]} after
   * @returns {Edit}
   */
  change(operation, before, after) {
    const edit = this.apply(operation, before, after);
    this.undoable.push(edit);
    this.redoable = [];
    return edit;
  }

  /** @param {string} operation @param {Mark[]} before @param {Mark[]} after @returns {Edit} */
  apply(operation, before, after) {
    this.spans = this.spans
      .filter((mark) => !before.some((gone) => same(gone, mark)))
      .concat(after)
      .sort(inOrder);
    this.revision += 1;
    return { number: this.revision, operation, before, after };
  }

  /** @returns {Edit | null} */
  undo() {
    const last = this.undoable.pop();
    if (!last) return null;
    this.redoable.push(last);
    return this.apply("undo", last.after, last.before);
  }

  /** @returns {Edit | null} */
  redo() {
    const last = this.redoable.pop();
    if (!last) return null;
    this.undoable.push(last);
    return this.apply("redo", last.before, last.after);
  }
}
