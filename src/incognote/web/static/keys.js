// The key map. Keys work while the text has the focus; Escape leaves it.

/** @typedef {import("./editor.js").Editor} Editor */

/**
 * Every key for the help page.
 * @type {[string, string][]}
 */
export const HELP = [
  ["Tab, Shift+Tab", "next, previous span (in adjudication: dispute)"],
  ["Alt+↓, Alt+↑ (or Alt+Tab)", "next, previous doubtful span"],
  ["← → ↑ ↓", "move by word, by line"],
  ["Home, End", "the first, the last word"],
  ["Shift+← →, Alt+Shift+← →", "extend by word, by character"],
  ["letter", "label the chosen words"],
  ["/", "choose any label by name"],
  [".", "the last label again"],
  ["] [", "end of the span one word on, one word back"],
  ["{ }", "start of the span one word back, one word on"],
  ["with Alt", "the same by one character"],
  ["Delete", "remove the span"],
  ["*", "the same text everywhere: Enter marks, Delete unmarks"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
  ["Space", "next screenful"],
  ["Enter", "done, next note"],
  ["Escape", "leave the text"],
  ["Ctrl+F", "find in the note"],
  ["Ctrl+M", "write a remark"],
  ["1 2 3 0", "adjudication: A, B, the ensemble, none"],
  ["?", "these keys"],
];

/** @param {Editor} editor */
export function listen(editor) {
  editor.root.addEventListener("keydown", (event) => {
    editor.strokes += 1;
    editor.worked();
    if (handle(editor, event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  // Find, undo, remark and help work wherever the focus is, except in a field of text.
  document.addEventListener("keydown", (event) => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
    if (document.querySelector("dialog[open]")) return;
    if ((event.ctrlKey || event.metaKey) && withControl(editor, event)) event.preventDefault();
  });
  editor.panel.connect(HELP);
}

/** @param {Editor} editor @param {KeyboardEvent} event */
function handle(editor, event) {
  if (event.ctrlKey || event.metaKey) return withControl(editor, event);
  const step = event.shiftKey ? -1 : 1;
  switch (event.key) {
    case "Tab":
      editor.step(step, event.altKey);
      return true;
    case "ArrowRight":
    case "ArrowLeft": {
      const way = event.key === "ArrowRight" ? 1 : -1;
      editor.arrow(way, !event.shiftKey ? "move" : event.altKey ? "character" : "word");
      return true;
    }
    case "ArrowDown":
    case "ArrowUp": {
      const way = event.key === "ArrowDown" ? 1 : -1;
      if (event.altKey) editor.step(way, true);
      else editor.line(way);
      return true;
    }
    case "Home":
    case "End":
      editor.edge(event.key === "Home" ? 1 : -1);
      return true;
    case "Delete":
    case "Backspace":
      editor.remove();
      return true;
    case " ":
      editor.screenful();
      return true;
    case "Enter":
      if (editor.repeated.length) editor.markRepeated();
      else void editor.done();
      return true;
    case "Escape":
      if (!editor.forgetRepeated()) editor.panel.leaveText();
      return true;
    case "?":
      editor.panel.help();
      return true;
    default:
      return character(editor, event);
  }
}

/**
 * The physical key where Alt turns it into something else.
 * @type {Record<string, string>}
 */
const BRACKETS = { BracketRight: "]", BracketLeft: "[" };

/** @param {Editor} editor @param {KeyboardEvent} event */
function character(editor, event) {
  let { key } = event;
  if (event.altKey && BRACKETS[event.code]) {
    key = event.shiftKey ? (event.code === "BracketRight" ? "}" : "{") : BRACKETS[event.code];
  }
  switch (key) {
    case "]":
      editor.stretch("end", 1, event.altKey);
      return true;
    case "[":
      editor.stretch("end", -1, event.altKey);
      return true;
    case "}":
      editor.stretch("start", 1, event.altKey);
      return true;
    case "{":
      editor.stretch("start", -1, event.altKey);
      return true;
    case "*":
      editor.showRepeated();
      return true;
    case "/":
      editor.panel.chooseLabel();
      return true;
    case ".":
      if (editor.lastLabel) editor.label(editor.lastLabel);
      return true;
    default:
  }
  if (event.altKey) return false;
  const choice = { 1: "a", 2: "b", 3: "ensemble", 0: "none" }[key];
  if (choice && editor.disputes.length) {
    editor.decide(/** @type {"a" | "b" | "ensemble" | "none"} */ (choice));
    return true;
  }
  const label = editor.letters ? editor.keys.get(key.toLowerCase()) : undefined;
  if (label && key.length === 1) {
    editor.label(label);
    return true;
  }
  return false;
}

/** @param {Editor} editor @param {KeyboardEvent} event */
function withControl(editor, event) {
  switch (event.key.toLowerCase()) {
    case "z":
      if (event.shiftKey) editor.redo();
      else editor.undo();
      return true;
    case "y":
      editor.redo();
      return true;
    case "f":
      editor.panel.findText();
      return true;
    case "m":
      editor.panel.remark();
      return true;
    default:
      return false;
  }
}
