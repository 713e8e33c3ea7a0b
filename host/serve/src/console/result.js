// What a call came to.

import { digits, exact } from "./json.js";
import { badge, fill, make, several, size, time } from "./dom.js";

/** Images that browsers draw and that run nothing. */
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
/** Members of one level of a tree that are shown at once. */
const SHOWN = 100;
/** Characters of a text that are shown at once. */
const LONG = 20_000;

const TONES = { done: "good", pending: "ask", cancelled: "quiet" };

/** A call's outcome, time and cost on one line. */
export function summary({ outcome, ms, cpu_ms: cpu }) {
  return make(
    "p.summary",
    {},
    badge(outcome, TONES[outcome] ?? "bad"),
    " ",
    make("span", {}, time(ms)),
    " ",
    make("span.hint", {}, `${time(cpu)} of it on a processor`),
  );
}

/** The result of a call that is done. */
export function result(content, attachments = []) {
  return make("div.result", {}, attachments.map(attachment), content === "" ? null : body(content));
}

/** Text; where it is JSON, a tree that can be folded, and the text as it came. */
function body(content) {
  let value;
  try {
    value = exact(content);
  } catch {
    return long(content);
  }
  if (value === null || typeof value !== "object") return long(content);
  return make("div", {}, tree(value), make("details", {}, make("summary", {}, "As it came"), long(content)));
}

function long(content) {
  const text = make("pre", { tabindex: "0", dir: "auto" }, content.slice(0, LONG));
  if (content.length <= LONG) return text;
  const more = make(
    "button.plain",
    {
      type: "button",
      onclick: () => {
        fill(text, content);
        more.remove();
      },
    },
    `Show all ${content.length.toLocaleString("en")} characters`,
  );
  return make("div", {}, text, more);
}

/** A value of JSON. What is below is made when it is opened. */
export function tree(value, depth = 0) {
  if (digits(value) !== undefined) return make("span.number", {}, digits(value));
  if (value === null || typeof value !== "object") {
    return make(`span.${value === null ? "null" : typeof value}`, {}, JSON.stringify(value));
  }
  const members = Object.entries(value);
  const list = make("ul.tree");
  const show = (from) => {
    const some = members.slice(from, from + SHOWN);
    list.append(...some.map(([key, member]) => make("li", {}, branch(key, member, depth))));
    const left = members.length - from - some.length;
    if (left > 0) {
      const more = make(
        "button.plain",
        {
          type: "button",
          onclick: () => {
            last.remove();
            show(from + SHOWN);
          },
        },
        `${left} more`,
      );
      const last = make("li", {}, more);
      list.append(last);
    }
  };
  show(0);
  return members.length === 0 ? make("span.null", {}, Array.isArray(value) ? "[]" : "{}") : list;
}

function branch(key, value, depth) {
  const name = make("code", {}, key);
  if (value === null || typeof value !== "object" || digits(value) !== undefined) return [name, " ", tree(value)];
  const count = Object.keys(value).length;
  const held = Array.isArray(value) ? several(count, "item") : several(count, "member");
  const open = depth < 2 && count <= 20;
  const details = make("details", { open }, make("summary", {}, name, " ", make("span.hint", {}, held)));
  const grow = () => {
    if (details.open && details.childElementCount === 1) details.append(tree(value, depth + 1));
  };
  details.addEventListener("toggle", grow);
  if (open) grow();
  return details;
}

function attachment({ mime, uri, data }, index) {
  const kind = String(mime).toLowerCase().split(";")[0].trim();
  const name = `attachment ${index + 1}`;
  const about = make("p.hint", {}, `${name}: ${mime}, ${size(Math.floor(data.length * 0.75))}${uri ? `, ${uri}` : ""}`);
  if (IMAGES.includes(kind)) {
    return make("figure", {}, make("img", { src: `data:${kind};base64,${data}`, alt: `${name} of the result` }), about);
  }
  if (/^audio\/[\w.+-]+$/.test(kind)) {
    return make(
      "figure",
      {},
      make("audio", { controls: true, src: `data:${kind};base64,${data}`, "aria-label": name }),
      about,
    );
  }
  return make("div", {}, about, make("button.plain", { type: "button", onclick: () => save(data, name) }, "Save it"));
}

/** Hands the bytes to the browser as a file of no kind, which it does not open. */
function save(data, name) {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  make("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** What went wrong: the message that the model gets, and what helps. */
export function failure(content) {
  let told = {};
  try {
    told = JSON.parse(content);
  } catch {
    told = { error: content };
  }
  const { error, kind: _, issues: __, ...more } = told;
  return make(
    "div.result",
    {},
    make("p.failure", { dir: "auto" }, error ?? content),
    Object.keys(more).length > 0 && tree(more),
  );
}
