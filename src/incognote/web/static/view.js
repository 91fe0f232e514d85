// The note on the screen: blocks of 20 lines, spans as <mark>, and the way between the two.
// Text reaches the page as text nodes only.

import { element } from "./api.js";
import { TextMap } from "./offsets.js";

/** @typedef {import("./layer.js").Mark} Mark */
/** @typedef {{start: number, end: number, box: HTMLElement, nodes: Text[], starts: number[]}} Block */
/** @typedef {{name: string, look: string}} Label */

const LINES = 20;

export class View {
  /** @param {HTMLElement} root @param {TextMap} map @param {Map<string, Label>} labels */
  constructor(root, map, labels) {
    this.root = root;
    this.map = map;
    this.labels = labels;
    /**
     * In UTF-16 units.
     * @type {WeakMap<Text, number>}
     */
    this.starts = new WeakMap();
    /** @type {Block[]} */
    this.blocks = [];
    this.cut();
  }

  cut() {
    const { text } = this.map;
    const boxes = document.createDocumentFragment();
    let start = 0;
    while (start < text.length || this.blocks.length === 0) {
      let end = start;
      for (let line = 0; line < LINES && end < text.length; line += 1) {
        const next = text.indexOf("\n", end);
        end = next < 0 ? text.length : next + 1;
      }
      const box = element("div", { class: "block" });
      boxes.append(box);
      this.blocks.push({ start, end, box, nodes: [], starts: [] });
      if (end === start) break;
      start = end;
    }
    this.root.replaceChildren(boxes);
  }

  /**
   * Draws every block.
   * @param {(start: number, end: number) => Mark[]} within
   * @param {(mark: Mark) => string} look extra classes of a span
   */
  draw(within, look) {
    this.within = within;
    this.look = look;
    for (const block of this.blocks) this.drawBlock(block);
  }

  /**
   * Draws the blocks again that a stretch touches.
   * @param {number} start
   * @param {number} end
   */
  redraw(start, end) {
    const first = this.map.toUnits(start);
    const last = this.map.toUnits(end);
    for (let at = this.blockAt(first); at < this.blocks.length; at += 1) {
      if (this.blocks[at].start > last) break;
      this.drawBlock(this.blocks[at]);
    }
  }

  /** @param {Block} block */
  drawBlock(block) {
    if (!this.within || !this.look) return;
    const { map } = this;
    const parts = document.createDocumentFragment();
    block.nodes = [];
    block.starts = [];
    /** @param {Node} parent @param {number} from @param {number} to */
    const put = (parent, from, to) => {
      if (from >= to) return;
      const node = document.createTextNode(map.text.slice(from, to));
      this.starts.set(node, from);
      block.nodes.push(node);
      block.starts.push(from);
      parent.appendChild(node);
    };
    let at = block.start;
    for (const mark of this.within(map.toPoints(block.start), map.toPoints(block.end))) {
      const from = Math.max(block.start, map.toUnits(mark[0]));
      const to = Math.min(block.end, map.toUnits(mark[1]));
      put(parts, at, from);
      const label = this.labels.get(mark[2]);
      const box = element("mark", {
        class: `look-${label ? label.look : "other"} ${this.look(mark)}`.trim(),
        "data-at": String(mark[0]),
        "data-label": mark[2],
      });
      put(box, from, to);
      parts.append(box);
      at = to;
    }
    put(parts, at, block.end);
    block.box.replaceChildren(parts);
  }

  /** @param {number} unit @returns {number} */
  blockAt(unit) {
    let low = 0;
    let high = this.blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.blocks[middle].end <= unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * A place in the page as a code point; -1 outside the text.
   * @param {Node | null} node
   * @param {number} offset
   * @returns {number}
   */
  pointOf(node, offset) {
    if (node instanceof Text && this.starts.has(node)) {
      return this.map.toPoints(/** @type {number} */ (this.starts.get(node)) + offset);
    }
    if (node instanceof Element && this.root.contains(node)) {
      const block = this.blocks.find((each) => each.box === node || each.box.contains(node));
      if (!block) return node === this.root && offset ? this.map.length : 0;
      const child = node.childNodes[offset];
      const text = child ? firstText(child) : null;
      if (text && this.starts.has(text)) return this.pointOf(text, 0);
      return this.map.toPoints(block.end);
    }
    return -1;
  }

  /**
   * Where a stretch stands in the page, to highlight or scroll to.
   * @param {number} start
   * @param {number} end
   * @returns {Range | null}
   */
  range(start, end) {
    const from = this.place(this.map.toUnits(start), false);
    const to = this.place(this.map.toUnits(end), true);
    if (!from || !to) return null;
    const range = document.createRange();
    range.setStart(...from);
    range.setEnd(...to);
    return range;
  }

  /** @param {number} unit @param {boolean} isEnd @returns {[Text, number] | null} */
  place(unit, isEnd) {
    const block = this.blocks[this.blockAt(isEnd ? Math.max(0, unit - 1) : unit)];
    if (!block || !block.nodes.length) return null;
    let at = 0;
    while (at + 1 < block.starts.length && block.starts[at + 1] + (isEnd ? 1 : 0) <= unit) at += 1;
    return [block.nodes[at], Math.min(unit - block.starts[at], block.nodes[at].length)];
  }

  /**
   * Shows a stretch in the middle of the screen unless it is on it.
   * @param {number} start
   * @param {number} end
   */
  reveal(start, end) {
    const range = this.range(start, end);
    if (!range) return;
    const box = range.getBoundingClientRect();
    const frame = this.root.getBoundingClientRect();
    const hidden = box.width === 0 && box.height === 0;
    if (hidden) {
      // A block that was never on screen has no layout yet: bring it there first.
      this.blocks[this.blockAt(this.map.toUnits(start))].box.scrollIntoView({ block: "center" });
      const again = range.getBoundingClientRect();
      this.root.scrollTop += again.top - frame.top - this.root.clientHeight / 3;
    } else if (box.top < frame.top + 24 || box.bottom > frame.bottom - 24) {
      this.root.scrollTop += box.top - frame.top - this.root.clientHeight / 3;
    }
  }

  /**
   * Paints stretches by name with the Custom Highlight API.
   * @param {string} name
   * @param {[number, number][]} stretches
   */
  highlight(name, stretches) {
    if (!("highlights" in CSS)) return;
    const ranges = stretches
      .filter(([start, end]) => end > start)
      .flatMap(([start, end]) => this.range(start, end) ?? []);
    if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
    else CSS.highlights.delete(name);
  }
}

/** @param {Node} node @returns {Text | null} */
function firstText(node) {
  if (node instanceof Text) return node;
  for (const child of node.childNodes) {
    const found = firstText(child);
    if (found) return found;
  }
  return null;
}
