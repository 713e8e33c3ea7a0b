// The tool `slugify`: one object that exports the interface `hermes:tool/tool`.

import manifest from "./manifest.json";

export const tool = {
  schema(name) {
    if (name !== manifest.name) return "";
    return JSON.stringify({ name, description: manifest.description, parameters: manifest.schema });
  },

  check(name) {
    if (name !== manifest.name) throw `Unknown tool: ${name}`;
  },

  handle(call, args) {
    if (call.tool !== manifest.name) throw { tag: "failed", val: `Unknown tool: ${call.tool}` };
    const { text, separator } = parse(args);
    const slug = slugify(text, separator);
    return { tag: "done", val: { content: [{ tag: "text", val: slug }], structured: JSON.stringify({ slug }) } };
  },
};

const COMBINING_MARKS = /\p{Mn}+/gu;
const NOT_A_WORD = /[^a-z0-9]+/;

function slugify(text, separator) {
  const ascii = text.normalize("NFKD").replace(COMBINING_MARKS, "").toLowerCase();
  return ascii.split(NOT_A_WORD).filter(Boolean).join(separator);
}

// What is wrong with the arguments is told to the model, so that it can repair its call.
function parse(args) {
  let parsed;
  try {
    parsed = JSON.parse(args);
  } catch (error) {
    throw invalid("", `expected JSON: ${error.message}`);
  }
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed)) throw invalid("", "expected an object");
  const { text, separator = "-" } = parsed;
  if (typeof text !== "string") throw invalid("/text", "expected a string");
  if (!manifest.schema.properties.separator.enum.includes(separator)) {
    throw invalid("/separator", "expected `-` or `_`");
  }
  return { text, separator };
}

function invalid(path, message) {
  return { tag: "invalid", val: [{ path, message }] };
}
