// Forms that are made from a JSON Schema. What has no control of its own is written as JSON. Whether a value fits is for the host to
// say; the form shows that where it belongs.

import { fresh, make, fill } from "./dom.js";
import { digits, exact, number } from "./json.js";
import { phrase, plain, typeOf } from "./schema.js";

const DEEPEST = 5;
/** Optional members that are shown at once. */
const SHOWN = 12;

/** The path of a member, as the host names it (JSON Pointer). */
const below = (path, name) => `${path}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** A form. `read` gives the object that it says, `mark` shows what is wrong with it. */
export class Form {
  constructor(schema, value = {}) {
    this.fields = new Map();
    this.general = make("ul.problem");
    this.record = this.members(plain(schema), "", value, 0);
    this.element = make("div.form", {}, make("div", { role: "alert" }, this.general), this.record.element);
    this.isEmpty = Object.keys(plain(schema).properties ?? {}).length === 0;
  }

  read() {
    return this.record.read() ?? {};
  }

  /** Shows issues, each at the nearest control, and goes to the first. */
  mark(issues) {
    this.clear();
    let first;
    for (const { path, message } of issues) {
      let at = path;
      while (at !== "" && !this.fields.has(at)) at = at.slice(0, at.lastIndexOf("/"));
      const field = this.fields.get(at);
      if (!field) {
        this.general.append(make("li", {}, path === "" ? message : `${path}: ${message}`));
        continue;
      }
      fill(field.problem, at === path ? message : `${path.slice(at.length + 1)}: ${message}`);
      field.control.setAttribute("aria-invalid", "true");
      field.control.closest("details")?.setAttribute("open", "");
      first ??= field.control;
    }
    first?.focus();
  }

  clear() {
    fill(this.general);
    for (const { problem, control } of this.fields.values()) {
      fill(problem);
      control.removeAttribute("aria-invalid");
    }
  }

  /** The members of an object, one control each. */
  members(schema, path, value, depth) {
    const required = new Set(schema.required ?? []);
    const named = Object.entries(schema.properties ?? {}).map(([name, member]) => {
      const given = value && typeof value === "object" ? value[name] : undefined;
      return [name, required.has(name), this.member(name, member, below(path, name), given, required.has(name), depth)];
    });
    const elements = (wanted) => named.filter(([, is]) => is === wanted).map(([, , field]) => field.element);
    const [must, may] = [elements(true), elements(false)];
    const rest =
      may.length > SHOWN ? make("details.more", {}, make("summary", {}, `${may.length} optional arguments`), may) : may;
    const read = () => {
      const values = named.map(([name, , field]) => [name, field.read()]).filter(([, given]) => given !== undefined);
      return Object.fromEntries(values);
    };
    return { element: make("div.members", {}, must, rest), read };
  }

  /** One member: its name, what it is for, its control, and what is wrong with it. */
  member(name, given, path, value, required, depth) {
    const schema = plain(given);
    const start = value ?? schema.default;
    const ids = { control: fresh("field"), hint: fresh("hint"), problem: fresh("problem") };
    const described = {
      id: ids.control,
      "aria-describedby": `${ids.hint} ${ids.problem}`,
      "aria-required": required ? "true" : null,
    };
    const made = this.control(schema, path, start, required, described, depth);
    const problem = make("p.problem", { id: ids.problem });
    const mark = required && make("span.required", {}, "required");
    const hint = make(
      "p.hint",
      { id: ids.hint },
      [schema.description, !made.chooses && phrase(schema)].filter(Boolean).join(" · "),
    );
    this.fields.set(path, { control: made.focus ?? made.element, problem });
    if (made.group) {
      const element = make(
        "fieldset",
        { id: ids.control, "aria-describedby": described["aria-describedby"] },
        make("legend", {}, make("code", {}, name), " ", mark),
        hint,
        made.element,
        problem,
      );
      return { element, read: made.read };
    }
    const label = make("label", { for: ids.control }, make("code", {}, name), " ", mark);
    const parts = made.beside ? [make("div.beside", {}, made.element, label), hint] : [label, hint, made.element];
    return { element: make("div.field", {}, ...parts, problem), read: made.read };
  }

  control(schema, path, start, required, described, depth) {
    const choices = "const" in schema ? [schema.const] : schema.enum;
    if (Array.isArray(choices)) return choice(choices, start, described);
    switch (depth > DEEPEST ? undefined : typeOf(schema)) {
      case "string":
        return text(schema, start, required, described);
      case "integer":
      case "number":
        return numeric(start, described);
      case "boolean":
        return flag(start, required, described);
      case "array":
        return typeof schema.items === "object"
          ? this.list(schema, path, start, required, depth)
          : json(start, described);
      case "object":
        return schema.properties ? this.nested(schema, path, start, required, depth) : json(start, described);
      default:
        return json(start, described);
    }
  }

  list(schema, path, start, required, depth) {
    const rows = make("ol.items");
    let items = [];
    let touched = start !== undefined;
    const show = (values) => {
      // What was in the rows is read from them, so that their paths follow from their places.
      items = values.map((value, index) => this.item(schema.items, index, below(path, index), value, depth));
      fill(
        rows,
        items.map((item, index) =>
          make(
            "li",
            {},
            item.element,
            make(
              "button.plain",
              {
                type: "button",
                "aria-label": `Remove item ${index + 1}`,
                onclick: () => {
                  show(now().filter((_, place) => place !== index));
                  add.focus();
                },
              },
              "Remove",
            ),
          ),
        ),
      );
    };
    const now = () => items.map((item) => item.read());
    const add = make(
      "button.plain",
      {
        type: "button",
        onclick: () => {
          touched = true;
          show([...now(), undefined]);
          rows.lastElementChild.querySelector("input, textarea, select, button")?.focus();
        },
      },
      "Add an item",
    );
    show(Array.isArray(start) ? start : []);
    const read = () => (items.length === 0 && !required && !touched ? undefined : now().map((value) => value ?? null));
    return { group: true, element: make("div", {}, rows, add), focus: add, read };
  }

  /** An item of a list: where it has a control of its own, that alone, with its place as its name. */
  item(given, index, path, value, depth) {
    const { description: _, ...schema } = plain(given);
    const id = fresh("problem");
    const described = { "aria-label": `item ${index + 1}`, "aria-describedby": id };
    const made = this.control(schema, path, value ?? schema.default, true, described, depth + 1);
    const problem = make("p.problem", { id });
    this.fields.set(path, { control: made.focus ?? made.element, problem });
    const element = made.group
      ? make("fieldset", { "aria-label": `item ${index + 1}` }, made.element, problem)
      : make("div", {}, made.element, problem);
    return { element, read: made.read };
  }

  nested(schema, path, start, required, depth) {
    const { element, read } = this.members(schema, path, start, depth + 1);
    if (required) return { group: true, element, read };
    const toggle = make("input", {
      type: "checkbox",
      id: fresh("set"),
      onchange: () => {
        element.hidden = !toggle.checked;
      },
    });
    toggle.checked = start !== undefined && start !== null;
    element.hidden = !toggle.checked;
    const beside = make("div.beside", {}, toggle, make("label", { for: toggle.id }, "Set it"));
    return {
      group: true,
      element: make("div", {}, beside, element),
      focus: toggle,
      read: () => (toggle.checked ? read() : undefined),
    };
  }
}

function text(schema, start, required, described) {
  const area = make("textarea", {
    ...described,
    rows: "1",
    spellcheck: "false",
    placeholder: schema.examples?.[0] ?? null,
  });
  if (typeof start === "string") area.value = start;
  let edited = typeof start === "string";
  area.addEventListener("input", () => {
    edited = required;
  });
  return { element: area, read: () => (area.value === "" && !edited ? undefined : area.value) };
}

function numeric(start, described) {
  const input = make("input", { ...described, type: "text", inputmode: "decimal", autocomplete: "off" });
  if (start !== undefined && start !== null) input.value = digits(start) ?? String(start);
  const isNumber = (said) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(said);
  const read = () => {
    const said = input.value.trim();
    if (said === "") return undefined;
    return isNumber(said) ? number(said) : said;
  };
  return { element: input, read };
}

function flag(start, required, described) {
  if (!required && start === undefined) return choice([true, false], start, described);
  const box = make("input", { ...described, type: "checkbox" });
  box.checked = start === true;
  return { element: box, beside: true, read: () => box.checked };
}

function choice(values, start, described) {
  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  const options = values.map((value, index) => make("option", { value: String(index) }, shown(value)));
  const select = make("select", described, make("option", { value: "" }, "(not set)"), options);
  const place = values.findIndex((value) => JSON.stringify(value) === JSON.stringify(start));
  select.value = place < 0 ? "" : String(place);
  return { element: select, chooses: true, read: () => values[select.value === "" ? -1 : Number(select.value)] };
}

/** A value as JSON. What is none goes to the host as the text that it is, which says what is wrong with it. */
function json(start, described) {
  const area = make("textarea.code", { ...described, rows: "2", spellcheck: "false", placeholder: "JSON" });
  if (start !== undefined) area.value = JSON.stringify(start, null, 2);
  const read = () => {
    if (area.value.trim() === "") return undefined;
    try {
      return exact(area.value);
    } catch {
      return area.value;
    }
  };
  return { element: area, read };
}
