// One tool: what it is, what it may do, and the form that tries it.

import { Call } from "./call.js";
import { badge, fill, make, size } from "./dom.js";
import { TONES } from "./list.js";
import { outline } from "./schema.js";
import { tree } from "./result.js";

/** Shows tools in `place`. Forms and results of those that were shown before are kept. */
export class ToolView {
  /** `approval` gives what approves a tool by name, where it waits. */
  constructor(place, approval) {
    Object.assign(this, { place, approval });
    this.calls = new Map();
    this.parts = {
      head: make("header"),
      power: make("section", { "aria-label": "Grants" }),
      about: make("section", { "aria-label": "About" }),
      attempt: make("section", { "aria-label": "Try it" }),
    };
  }

  /** Shows a tool, or another state of it. */
  show(tool) {
    const { name } = tool.function;
    const text = JSON.stringify(tool);
    if (this.shown === text) return;
    this.shown = text;
    this.tool = tool;
    fill(this.parts.head, ...head(tool));
    fill(this.parts.power, ...power(tool));
    fill(this.parts.about, ...about(tool));
    const schema = JSON.stringify(tool.function.parameters);
    let known = this.calls.get(name);
    if (known?.schema !== schema) {
      known = { schema, call: new Call(tool, () => this.remedy()) };
      this.calls.set(name, known);
    }
    if (this.call !== known.call) {
      this.call = known.call;
      fill(this.parts.attempt, make("h3", {}, "Try it"), this.call.element);
    }
    this.call.tool = tool;
    if (this.place.childElementCount !== 4)
      fill(this.place, this.parts.head, this.parts.attempt, this.parts.power, this.parts.about);
  }

  /** When there is none of this name. */
  none(name) {
    this.shown = undefined;
    this.tool = undefined;
    this.call = undefined;
    fill(
      this.place,
      make("h2", { tabindex: "-1" }, name ?? "No tool yet"),
      make(
        "p",
        {},
        name
          ? "There is no such tool, or not any more."
          : "Drop a component into the plugins folder: it appears here while the host serves.",
      ),
    );
  }

  title() {
    return this.place.querySelector("h2");
  }

  /** What to do about a call that may not run. */
  remedy() {
    const { command } = this.tool;
    const approve = this.approval(this.tool.function.name);
    return make(
      "div.remedy",
      {},
      approve && make("p.buttons", {}, make("button", { type: "button", onclick: approve }, "Approve…")),
      command && make("p.hint", {}, approve ? "or in a shell: " : "In a shell: ", make("code.command", {}, command)),
    );
  }
}

function head({ function: { name, description }, title, emoji, state, reason }) {
  const offered = state === "ready" || state === "unverified";
  return [
    make(
      "h2",
      { tabindex: "-1" },
      make("span.emoji", { "aria-hidden": "true" }, emoji),
      make("span.name", {}, name),
      " ",
      badge(state, TONES[state]),
    ),
    title && make("p.title", {}, title),
    make("div.description", {}, paragraphs(description)),
    !offered && reason && make("p.callout", {}, reason),
  ];
}

/** Lines that were broken to fit a source file flow again; lists, and whatever is indented, keep theirs. */
function paragraphs(text) {
  return text.split(/\n\s*\n/).map((paragraph) => {
    const kept = /^(\s|[-*•]\s|\d+[.)]\s)/m.test(paragraph.trimEnd());
    return make(kept ? "p.kept" : "p", { dir: "auto" }, paragraph);
  });
}

function power({ asks, granted, lacks, command }) {
  const lines = (title, shown, tone) =>
    shown.length > 0 &&
    make(
      `div.${tone}`,
      {},
      make("h4", {}, title),
      make(
        "ul.lines",
        {},
        shown.map((line) => make("li", {}, make("code", {}, line))),
      ),
    );
  const nothing = asks.length === 0 && granted.length === 0;
  return [
    make("h3", {}, "What it may do"),
    nothing && make("p", {}, "Nothing but to compute, within the default limits. It asks for no more."),
    make(
      "div.grants",
      {},
      lines("Granted", granted, "good"),
      lines("Lacking", lacks, "bad"),
      lines(
        "Asked for",
        asks.filter((line) => !granted.includes(line) && !lacks.includes(line)),
        "quiet",
      ),
    ),
    lacks.length > 0 && command && make("p.hint", {}, "To grant it: ", make("code.command", {}, command)),
  ];
}

function about({ function: { parameters }, version, toolsets, source, size: bytes, digest, annotations }) {
  const said = {
    read_only: "reads only",
    destructive: "may destroy",
    idempotent: "again changes nothing more",
    open_world: "reaches beyond the host",
  };
  const effects = Object.entries(said)
    .filter(([hint]) => annotations[hint] && !(hint === "destructive" && annotations.read_only))
    .map(([, words]) => words);
  const facts = {
    Version: version,
    Toolsets: toolsets.join(", ") || "none",
    "Says that it": effects.join(", ") || "nothing of its effects",
    Source: source,
    Size: size(bytes),
    Digest: digest,
  };
  const words = outline(parameters);
  return [
    make("h3", {}, "About"),
    make(
      "dl.facts",
      {},
      Object.entries(facts)
        .filter(([, fact]) => fact !== null)
        .map(([name, fact]) => make("div", {}, make("dt", {}, name), make("dd", {}, fact))),
    ),
    words && make("details", {}, make("summary", {}, "Arguments in words"), words),
    make("details", {}, make("summary", {}, "JSON Schema of the arguments"), tree(parameters)),
  ];
}
