// Trying a tool: its form, the call while it runs, and what came of it.

import { Refused, ask, events } from "./api.js";
import { fill, fresh, make, say, time } from "./dom.js";
import { Form } from "./form.js";
import { exact } from "./json.js";
import { questions } from "./questions.js";
import { failure, result, summary } from "./result.js";

/** The form of one tool, and its last call. */
export class Call {
  /** `denied` makes what is shown below a call that may not run. */
  constructor(tool, denied) {
    this.tool = tool;
    this.denied = denied;
    this.form = new Form(tool.function.parameters);
    this.raw = make("textarea.code", { rows: "8", spellcheck: "false", id: fresh("raw") });
    this.place = make("div");
    this.asJson = false;
    this.toggle = make("button.plain", { type: "button", onclick: () => this.turn() }, "Write JSON instead");
    this.start = make("button.main", { "aria-keyshortcuts": "Control+Enter Meta+Enter" }, "Call");
    this.stop = make("button", { type: "button", hidden: true, onclick: () => this.cancel() }, "Cancel");
    this.outcome = make("section.outcome", { "aria-label": "Result", tabindex: "-1", hidden: true });
    const onsubmit = (event) => {
      event.preventDefault();
      void this.run();
    };
    this.show();
    this.element = make(
      "div",
      {},
      make(
        "form",
        { onsubmit, novalidate: true, "aria-label": "Arguments" },
        this.place,
        make("p.buttons", {}, this.start, this.stop, this.toggle),
      ),
      this.outcome,
    );
  }

  show() {
    const label = make("label", { for: this.raw.id }, "Arguments as JSON");
    const none = this.form.isEmpty && make("p.hint", {}, "It takes no arguments.");
    fill(this.place, this.asJson ? [label, this.raw] : [none, this.form.element]);
    fill(this.toggle, this.asJson ? "Use the form" : "Write JSON instead");
  }

  /** From the form to JSON, or back where that is an object. */
  turn() {
    if (!this.asJson) {
      this.raw.value = JSON.stringify(this.form.read(), null, 2);
    } else {
      try {
        this.form = new Form(this.tool.function.parameters, exact(this.raw.value));
      } catch (error) {
        say(`This is no JSON: ${error.message}`);
        this.end(make("p.failure", {}, `This is no JSON: ${error.message}`));
        return;
      }
    }
    this.asJson = !this.asJson;
    this.show();
  }

  arguments() {
    return this.asJson ? this.raw.value : JSON.stringify(this.form.read());
  }

  get runs() {
    return this.running !== undefined;
  }

  cancel() {
    this.running?.abort();
  }

  run() {
    this.form.clear();
    const { name } = this.tool.function;
    const call = { id: crypto.randomUUID(), type: "function", function: { name, arguments: this.arguments() } };
    return this.send("/v1/calls", { tool_calls: [call] });
  }

  async send(path, body) {
    if (this.running) return;
    const began = performance.now();
    this.running = new AbortController();
    this.busy(true);
    try {
      const response = await ask(path, { body, stream: true, signal: this.running.signal });
      for await (const { name, data } of events(response)) {
        if (name === "progress") this.progress(data);
        if (name === "result") this.answered(data);
      }
    } catch (error) {
      this.failed(error, performance.now() - began);
    } finally {
      this.running = undefined;
      this.busy(false);
    }
  }

  busy(is) {
    this.start.disabled = is;
    if (is) {
      this.stop.hidden = false;
      this.bar = make("progress", { "aria-label": "Progress" });
      this.told = make("span.hint", {}, "running…");
      this.end(make("p.running", {}, this.bar, " ", this.told));
      say("The call runs.");
    } else {
      const held = document.activeElement === this.stop || document.activeElement === document.body;
      this.stop.hidden = true;
      if (held) this.start.focus();
    }
  }

  progress({ progress, total, message }) {
    if (total > 0 && progress !== null) {
      this.bar.max = total;
      this.bar.value = Math.min(Math.max(progress, 0), total);
    }
    fill(
      this.told,
      [message, progress === null ? null : total ? `${progress} of ${total}` : progress].filter(Boolean).join(" · "),
    );
  }

  answered({ messages: [{ content }], calls: [call] }) {
    const parts = [summary(call)];
    if (call.outcome === "done") {
      parts.push(result(content, call.attachments));
    } else if (call.outcome === "pending") {
      const answer = (answers) =>
        this.send(`/v1/calls/${encodeURIComponent(call.id)}/answers`, { handle: call.pending.handle, answers });
      parts.push(questions(call.pending, answer));
    } else {
      parts.push(failure(content));
      if (["denied", "held", "unavailable"].includes(call.outcome)) parts.push(this.denied());
    }
    this.end(...parts);
    say(`${call.outcome} after ${time(call.ms)}`);
    if (call.outcome === "pending") this.outcome.querySelector("input, textarea, select, a[href], button")?.focus();
    if (call.outcome === "invalid" && !this.asJson) this.form.mark(issues(content));
  }

  failed(error, ms) {
    const said = error.name === "AbortError" ? "The call was cancelled." : error.message;
    const hint = error instanceof Refused && error.hint;
    this.end(make("p.failure", {}, said), hint && make("p.hint", {}, hint), make("p.hint", {}, `after ${time(ms)}`));
    say(said);
  }

  end(...parts) {
    this.outcome.hidden = false;
    fill(this.outcome, ...parts);
  }
}

function issues(content) {
  try {
    return JSON.parse(content).issues ?? [];
  } catch {
    return [];
  }
}
