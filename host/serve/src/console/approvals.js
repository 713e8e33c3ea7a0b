// What waits for somebody's yes, in the host's own words.

import { ask, read } from "./api.js";
import { badge, fill, find, make, refill, say } from "./dom.js";

/** The list of approvals. */
export class Approvals {
  /** `decided` is called when one was answered. */
  constructor(place, decided) {
    Object.assign(this, { place, decided });
    this.cards = new Map();
    this.waiting = [];
  }

  async look() {
    const { approvals } = await read("/v1/approvals");
    this.waiting = approvals;
    const known = this.cards;
    // A card that says the same stays, and with it the focus.
    this.cards = new Map(
      approvals.map((approval) => {
        const text = JSON.stringify(approval);
        const same = known.get(approval.id);
        return [approval.id, same?.text === text ? same : { text, element: this.card(approval) }];
      }),
    );
    const elements = [...this.cards.values()].map(({ element }) => element);
    const shown = [...this.place.children];
    if (
      elements.length > 0 &&
      elements.length === shown.length &&
      elements.every((element, index) => element === shown[index])
    )
      return;
    refill(this.place, elements.length > 0 ? elements : make("p.hint", {}, "Nothing waits."));
  }

  /** What goes to the approval of a tool; null where none waits. */
  of(tool) {
    const approval = this.waiting.find((one) => one.tool === tool);
    if (!approval) return null;
    return () => {
      const { element } = this.cards.get(approval.id) ?? {};
      element?.scrollIntoView({ block: "nearest" });
      element?.querySelector("button")?.focus();
    };
  }

  card(approval) {
    const { tool, version, kind, question, command } = approval;
    const problem = make("p.problem", { role: "alert" });
    const answer = (allow) => void this.answer(approval, allow, problem);
    return make(
      "article.card",
      { "aria-label": `Approval of ${tool}` },
      make(
        "h3",
        {},
        make("span.name", {}, tool),
        " ",
        version && make("span.hint", {}, version),
        " ",
        badge(kind, "ask"),
      ),
      make("pre", { dir: "auto" }, question.join("\n")),
      make(
        "p.buttons",
        {},
        make("button.main", { type: "button", onclick: () => answer(true) }, "Allow"),
        make("button", { type: "button", onclick: () => answer(false) }, "Decline"),
      ),
      problem,
      command && make("details", {}, make("summary", {}, "In a shell"), make("code.command", {}, command)),
    );
  }

  async answer({ id, tool, command }, allow, problem) {
    fill(problem);
    try {
      const { outcome, granted } = await (await ask("/v1/approvals", { body: { id, allow } })).json();
      say(`${tool}: ${[outcome, ...granted].join(" ")}`);
      find("approvals-title").focus();
    } catch (error) {
      // Whoever decided it, or changed the tool: the list says what waits now.
      const gone = error.status === 404 || error.status === 409;
      const told = gone ? "That is not what waits any more." : error.message;
      const shell = error.status === 403 ? ` In a shell: ${command}` : "";
      fill(problem, told, shell);
      say(told);
      if (!gone) return;
    }
    await this.look();
    this.decided();
  }
}
