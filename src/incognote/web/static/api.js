// Requests to the server. Every change carries the token of the page.

export class ApiError extends Error {
  /** @param {number} status @param {any} answer */
  constructor(status, answer) {
    super(answer && answer.error ? answer.error : `the server answered ${status}`);
    this.status = status;
    this.answer = answer;
  }
}

let token = document.querySelector('meta[name="token"]')?.getAttribute("content") ?? "";

/**
 * Whose session has ended is led to the sign-in and back to this page, unless they `stay` on it.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {{stay?: boolean}} [options]
 * @returns {Promise<any>}
 */
export async function api(method, path, body, options = {}) {
  const sent = body instanceof Blob;
  const response = await fetch(path.startsWith("/") ? path : `/api/v1/${path}`, {
    method,
    credentials: "same-origin",
    headers: {
      ...(method === "GET" ? {} : { "x-incognote-token": token }),
      ...(body === undefined || sent ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? undefined : sent ? body : JSON.stringify(body),
  });
  const answer = await response.json().catch(() => null);
  if (response.status === 401 && !options.stay && location.pathname !== "/sign-in") {
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname)}`);
  }
  if (!response.ok) throw new ApiError(response.status, answer);
  if (answer && answer.token) token = answer.token;
  return answer;
}

/** @param {string} selector @returns {HTMLElement} */
export function find(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`no ${selector} on this page`);
  return found;
}

/**
 * An element with text and attributes; never markup.
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
