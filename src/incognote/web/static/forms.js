// Forms and buttons that call the API: what they send is JSON, what comes back is shown or followed.

import { api, element } from "./api.js";

/** @param {HTMLFormElement} form @returns {Record<string, unknown>} */
function valuesOf(form) {
  /** @type {Record<string, unknown>} */
  const values = {};
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement)) continue;
    if (!field.name || field.disabled) continue;
    const kind = field.dataset.type;
    if (kind === "list") {
      const list = /** @type {string[]} */ (values[field.name] ?? []);
      values[field.name] = list;
      if (!(field instanceof HTMLInputElement) || field.type !== "checkbox" || field.checked) {
        if (field.value) list.push(field.value);
      }
    } else if (kind === "map") {
      const map = /** @type {Record<string, string>} */ (values[field.name] ?? {});
      values[field.name] = map;
      map[field.dataset.key ?? ""] = field.value;
    } else if (kind === "ids") {
      values[field.name] = [...document.querySelectorAll("input[data-pick]:checked")].map((box) =>
        Number(/** @type {HTMLInputElement} */ (box).value),
      );
    } else if (field instanceof HTMLInputElement && field.type === "checkbox") {
      values[field.name] = field.checked;
    } else if (field instanceof HTMLInputElement && field.type === "radio") {
      if (field.checked) values[field.name] = kind === "number" ? Number(field.value) : field.value;
    } else if (kind === "number") {
      if (field.value !== "") values[field.name] = Number(field.value);
    } else {
      values[field.name] = field.value;
    }
  }
  return values;
}

/**
 * Says how a request ended, beside what was pressed.
 * @param {HTMLElement} near
 * @param {string} words
 * @param {boolean} bad
 */
function say(near, words, bad) {
  const form = near.closest("form") ?? near.parentElement ?? near;
  let place = form.querySelector(":scope > .answer");
  if (!place) {
    place = element("p", { class: "answer", role: "status" });
    form.append(place);
  }
  place.textContent = words;
  place.classList.toggle("bad", bad);
}

/** @param {HTMLElement} near @param {any} answer @param {DOMStringMap} options */
function follow(near, answer, options) {
  if (answer && answer.password) {
    say(near, `The first password of ${answer.name}, shown once: ${answer.password}`, false);
  } else if (answer && typeof answer.next === "string") {
    location.assign(answer.next);
  } else if (options.next) {
    location.assign(options.next.replace("{id}", String(answer?.id ?? "")));
  } else if (answer && typeof answer.message === "string" && answer.message) {
    say(near, answer.message, false);
  } else if (options.stay !== undefined) {
    say(near, options.stay || "Saved.", false);
  } else {
    location.reload();
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.dataset.api) return;
  event.preventDefault();
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
  const button = event.submitter instanceof HTMLButtonElement ? event.submitter : null;
  if (button) button.disabled = true;
  api(form.dataset.method ?? "POST", form.dataset.api, valuesOf(form))
    .then((answer) => follow(form, answer, form.dataset))
    .catch((error) => say(form, error.message, true))
    .finally(() => {
      if (button) button.disabled = false;
    });
});

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button[data-api]") : null;
  if (!(button instanceof HTMLButtonElement) || !button.dataset.api) return;
  event.preventDefault();
  if (button.dataset.confirm && !confirm(button.dataset.confirm)) return;
  button.disabled = true;
  const body = button.dataset.body ? JSON.parse(button.dataset.body) : undefined;
  api(button.dataset.method ?? "POST", button.dataset.api, body)
    .then((answer) => {
      if (button.dataset.review && answer.next) location.assign(`/releases/${button.dataset.review}/documents/${answer.next}`);
      else if (button.dataset.follow && answer.id) location.assign(button.dataset.follow.replace("{id}", String(answer.id)));
      else if (button.dataset.follow) say(button, "Nothing is waiting for you here.", false);
      else follow(button, answer, button.dataset);
    })
    .catch((error) => say(button, error.message, true))
    .finally(() => {
      button.disabled = false;
    });
});

// "Choose all" boxes of tables.
document.addEventListener("change", (event) => {
  if (!(event.target instanceof HTMLInputElement) || event.target.dataset.pickAll === undefined) return;
  for (const box of document.querySelectorAll("input[data-pick]")) {
    /** @type {HTMLInputElement} */ (box).checked = event.target.checked;
  }
});

// Jobs under way: their bars move, and the page is loaded again when the last one ends; not while
// somebody fills in a form.
let touched = false;
document.addEventListener("input", () => (touched = true));
const jobs = document.querySelector("[data-jobs]");
if (jobs instanceof HTMLElement && jobs.querySelector("[data-running]")) {
  const ask = async () => {
    const rows = await api("GET", jobs.dataset.jobs ?? "").catch(() => null);
    if (!rows) {
      setTimeout(ask, 5000); // the server is away for a while
      return;
    }
    let running = 0;
    for (const row of rows) {
      if (row.state === "queued" || row.state === "running") running += 1;
      const bar = document.querySelector(`[data-job="${row.id}"] progress`);
      if (bar instanceof HTMLProgressElement && row.total) {
        bar.max = row.total;
        bar.value = row.done;
      }
    }
    if (running) setTimeout(ask, 1500);
    else if (!touched) location.reload();
    else jobs.prepend(element("p", { class: "notice" }, "The jobs have ended. Load the page again to see what they did."));
  };
  setTimeout(ask, 1200);
}

// On a phone the tabs are one row that scrolls: the one that is open comes into sight.
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
