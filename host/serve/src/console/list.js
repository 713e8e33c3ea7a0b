// The tools by toolset, and the filter.

import { badge, fill, make, refill, several } from "./dom.js";

export const TONES = {
  ready: "good",
  unverified: "good",
  held: "ask",
  ungranted: "ask",
  unavailable: "ask",
  older: "quiet",
};

const NONE = "in no toolset";

/** The list. Its entries are one stop of the tab key, and arrows go through them. */
export class List {
  constructor(place, filter, count, select) {
    Object.assign(this, { place, filter, count, select });
    this.entries = new Map();
    this.tools = [];
    filter.addEventListener("input", () => this.show());
    filter.addEventListener("keydown", (event) => this.filterKey(event));
    place.addEventListener("keydown", (event) => this.key(event));
    place.addEventListener("focusin", (event) => this.rove(event.target));
  }

  update(tools, chosen) {
    this.tools = tools;
    this.chosen = chosen;
    this.show();
  }

  matching() {
    const words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = ({ function: { name, description }, title, toolsets, state }) =>
      [name, title, description, state, ...toolsets].join(" ").toLowerCase();
    return this.tools.filter((tool) => words.every((word) => text(tool).includes(word)));
  }

  show() {
    const matching = this.matching();
    const sets = new Map();
    for (const tool of matching) {
      for (const set of tool.toolsets.length > 0 ? tool.toolsets : [NONE])
        sets.set(set, [...(sets.get(set) ?? []), tool]);
    }
    const names = [...sets.keys()].sort((a, b) => (a === NONE) - (b === NONE) || a.localeCompare(b));
    // Entries are kept, and with them the focus.
    const within = this.place.contains(document.activeElement);
    const known = this.entries;
    this.entries = new Map();
    refill(
      this.place,
      names.map((set) =>
        make(
          "section",
          {},
          make("h2", {}, set),
          make(
            "ul",
            {},
            sets.get(set).map((tool) => {
              const key = `${set} ${tool.function.name}`;
              const entry =
                known.get(key) ??
                make("button.entry", {
                  type: "button",
                  tabindex: "-1",
                  onclick: () => this.select(tool.function.name),
                });
              this.entries.set(key, entry);
              this.describe(entry, tool);
              return make("li", {}, entry);
            }),
          ),
        ),
      ),
    );
    if (within && !this.place.contains(document.activeElement)) this.focus();
    this.rove(this.current() ?? this.all()[0]);
    const all = several(this.tools.length, "tool");
    fill(this.count, matching.length === this.tools.length ? all : `${matching.length} of ${all}`);
  }

  describe(entry, { function: { name }, emoji, state }) {
    const text = JSON.stringify([name, emoji, state]);
    if (entry.dataset.shown !== text) {
      fill(
        entry,
        make("span.emoji", { "aria-hidden": "true" }, emoji),
        make("span.name", {}, name),
        state === "ready" ? null : badge(state, TONES[state]),
      );
      entry.dataset.shown = text;
      entry.dataset.name = name;
    }
    if (name === this.chosen) entry.setAttribute("aria-current", "true");
    else entry.removeAttribute("aria-current");
  }

  all() {
    return [...this.entries.values()];
  }

  current() {
    return (
      this.all().find((entry) => entry === document.activeElement) ??
      this.all().find((entry) => entry.dataset.name === this.chosen)
    );
  }

  focus() {
    (this.current() ?? this.all()[0])?.focus();
  }

  rove(to) {
    if (!to?.classList.contains("entry")) return;
    for (const entry of this.all()) entry.tabIndex = entry === to ? 0 : -1;
  }

  key(event) {
    const all = this.all();
    const at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    if (to < 0) this.filter.focus();
    else all[Math.min(to, all.length - 1)].focus();
  }

  filterKey(event) {
    if (event.key === "ArrowDown") {
      event.preventDefault();
      this.focus();
    } else if (event.key === "Enter") {
      event.preventDefault();
      const named = this.all().find((entry) => entry.dataset.name === this.filter.value.trim());
      (named ?? this.all()[0])?.click();
    }
  }
}
