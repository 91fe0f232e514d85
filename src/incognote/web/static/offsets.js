// Code points (what the server counts in) and UTF-16 units (what the browser counts in).

export class TextMap {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    /**
     * UTF-16 positions of every character that takes two units, in order.
     * @type {number[]}
     */
    this.pairs = [];
    for (let at = 0; at < text.length - 1; at += 1) {
      const high = text.charCodeAt(at);
      if (high >= 0xd800 && high < 0xdc00) {
        const low = text.charCodeAt(at + 1);
        if (low >= 0xdc00 && low < 0xe000) {
          this.pairs.push(at);
          at += 1;
        }
      }
    }
    /** Length in code points. */
    this.length = text.length - this.pairs.length;
  }

  /** @param {number} point @returns {number} */
  toUnits(point) {
    // The nth pair stands at code point pairs[n] - n; count those that stand before the point.
    let low = 0;
    let high = this.pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pairs[middle] - middle < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  }

  /**
   * A position inside a pair counts as its end.
   * @param {number} unit
   * @returns {number}
   */
  toPoints(unit) {
    let low = 0;
    let high = this.pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.pairs[middle] < unit) low = middle + 1;
      else high = middle;
    }
    const inside = low > 0 && this.pairs[low - 1] + 1 === unit ? 1 : 0;
    return unit + inside - low;
  }

  /** @param {number} start @param {number} end @returns {string} */
  slice(start, end) {
    return this.text.slice(this.toUnits(start), this.toUnits(end));
  }
}

const WORD = /[\p{L}\p{N}\p{M}_]/u;

/** Where the words of a text stand, in code points. Everything between them is a gap. */
export class Words {
  /** @param {TextMap} map */
  constructor(map) {
    this.map = map;
    /** @type {number[]} */
    this.starts = [];
    /** @type {number[]} */
    this.ends = [];
    let point = 0;
    let begun = -1;
    for (const character of map.text) {
      const inside = WORD.test(character);
      if (inside && begun < 0) begun = point;
      if (!inside && begun >= 0) {
        this.starts.push(begun);
        this.ends.push(point);
        begun = -1;
      }
      point += 1;
    }
    if (begun >= 0) {
      this.starts.push(begun);
      this.ends.push(point);
    }
  }

  get count() {
    return this.starts.length;
  }

  /**
   * The word at a position, or the next one after it.
   * @param {number} point
   * @returns {number}
   */
  at(point) {
    let low = 0;
    let high = this.ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ends[middle] <= point) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * A stretch grown to whole words, without white space at its edges.
   * @param {number} start
   * @param {number} end
   * @returns {[number, number]}
   */
  snap(start, end) {
    const [from, to] = this.trim(start, end);
    const first = this.at(from);
    if (first >= this.count || this.starts[first] >= to) return [from, to];
    let last = this.at(to - 1);
    if (last >= this.count || this.starts[last] >= to) last -= 1;
    return [Math.min(from, this.starts[first]), Math.max(to, this.ends[last])];
  }

  /**
   * Without white space at its edges.
   * @param {number} start
   * @param {number} end
   * @returns {[number, number]}
   */
  trim(start, end) {
    const text = this.map.slice(start, end);
    const left = [...text].length - [...text.trimStart()].length;
    const right = [...text].length - [...text.trimEnd()].length;
    return left + right >= end - start ? [start, end] : [start + left, end - right];
  }
}
