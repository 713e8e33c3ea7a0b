// Elements, made without markup: whatever comes from outside is shown as text.

// What a reader cannot see and a browser obeys: control, direction and other invisible characters. Line feed, tab and the joiners
// that scripts and emoji need are not among them.
const HIDDEN = /[\u2028\u2029\u115f\u1160\u3164\uffa0\u{e0000}-\u{e0fff}]|(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu;

/** The text with its hidden characters spelled out. */
export function visible(text) {
  const spell = (c) => `⟦U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
  return String(text).replace(HIDDEN, spell);
}

/**
 * An element: `make('p.hint', { id: 'x', onclick: f }, 'text', child)`. Attributes that are null or false are left out.
 * @returns {HTMLElement}
 */
export function make(what, attributes = {}, ...children) {
  const [name, ...classes] = what.split(".");
  const element = document.createElement(name);
  element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  fill(element, ...children);
  return element;
}

/** Replaces what is in an element. */
export function fill(element, ...children) {
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  element.replaceChildren(
    ...shown.map((child) => (child instanceof Node ? child : document.createTextNode(visible(child)))),
  );
  return element;
}

/** Replaces what is in an element with the same elements, and others: the focus stays on what stays. */
export function refill(element, ...children) {
  const focused = document.activeElement;
  const within = element.contains(focused);
  fill(element, ...children);
  if (within && focused.isConnected) focused.focus();
}

export const find = (id) => document.getElementById(id);

let count = 0;
/** An id that nothing else on the page has. */
export const fresh = (prefix) => `${prefix}-${++count}`;

/** Says something to who listens instead of looking. */
export function say(text) {
  fill(find("said"), text);
}

/** A state or outcome, as a word in a colour. */
export function badge(word, tone) {
  return make(`span.badge.${tone}`, {}, word);
}

/** A time in milliseconds, for people. */
export function time(ms) {
  if (ms < 10) return `${ms.toFixed(2)} ms`;
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** A size in bytes, for people. */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(0)} KiB` : `${(bytes / (1 << 20)).toFixed(1)} MiB`;
}

/** How many of something. */
export const several = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
