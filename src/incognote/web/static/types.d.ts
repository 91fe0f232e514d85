// What browsers have and TypeScript's library does not know yet.

interface CaretPosition {
  readonly offsetNode: Node;
  readonly offset: number;
}

interface Document {
  caretPositionFromPoint?(x: number, y: number): CaretPosition | null;
}

declare class Highlight {
  constructor(...ranges: Range[]);
}

declare namespace CSS {
  const highlights: Map<string, Highlight>;
}
