// The questions of a call that waits, and what is answered.

import { fresh, make } from "./dom.js";
import { Form } from "./form.js";
import { tree } from "./result.js";

const WORDS = { accept: "Accept", decline: "Decline", cancel: "Cancel" };

/** A form of all questions. `answer` gets `{id: {action, content}}`. */
export function questions(pending, answer) {
  const asked = pending.requests.map((request) => question(request, pending.requests.length > 1));
  for (const { id, issues } of pending.misfits ?? []) asked.find((one) => one.id === id)?.mark(issues);
  const send = (action) => answer(Object.fromEntries(asked.map((one) => [one.id, one.answer(action)])));
  const actions = asked.length > 1 ? ["accept"] : Object.keys(WORDS);
  const words = asked.length > 1 ? { accept: "Send the answers" } : WORDS;
  const buttons = actions.map((action) =>
    make(
      action === "accept" ? "button.main" : "button",
      {
        type: action === "accept" ? "submit" : "button",
        onclick: action === "accept" ? null : () => send(action),
      },
      words[action],
    ),
  );
  const onsubmit = (event) => {
    event.preventDefault();
    send("accept");
  };
  return make(
    "form.questions",
    { onsubmit, novalidate: true, "aria-label": "Questions of the tool" },
    asked.map((one) => one.element),
    make("p.buttons", {}, buttons),
    make("p.hint", {}, `The call waits for ${pending.expires_s} s.`),
  );
}

function question(request, many) {
  const part = PARTS[request.kind]?.(request) ?? PARTS.other(request);
  const name = fresh("action");
  const radios =
    many &&
    make(
      "p.choices",
      {},
      Object.entries(WORDS)
        .map(([action, word]) => {
          const id = fresh("choice");
          return [
            make("input", { type: "radio", id, name, value: action, checked: action === "accept" }),
            make("label", { for: id }, word),
          ];
        })
        .flat(),
    );
  const element = make("fieldset", {}, make("legend", { dir: "auto" }, request.message), part.element, radios);
  const chosen = (action) => (many ? element.querySelector(`input[name="${name}"]:checked`).value : action);
  return {
    id: request.id,
    element,
    mark: (issues) => part.form?.mark(issues),
    answer: (action) => {
      const taken = chosen(action);
      return taken === "accept" ? { action: taken, content: part.read() } : { action: taken };
    },
  };
}

const PARTS = {
  form({ schema }) {
    const form = new Form(schema);
    return { element: form.element, form, read: () => form.read() };
  },
  url({ url }) {
    // Only what a browser opens as a page; the whole address is what is read before it is opened.
    const opens = /^https?:\/\//i.test(url);
    const link = opens
      ? make("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, url)
      : make("code", {}, url);
    return { element: make("p.address", {}, link), read: () => undefined };
  },
  approval() {
    return { element: null, read: () => undefined };
  },
  other({ params }) {
    const area = make("textarea.code", { rows: "3", spellcheck: "false", "aria-label": "The whole answer, as JSON" });
    const read = () => {
      try {
        return JSON.parse(area.value);
      } catch {
        return area.value;
      }
    };
    return { element: make("div", {}, params && tree(params), area), read };
  },
};
