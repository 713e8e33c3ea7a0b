// JSON Schemas in words.

import { make } from "./dom.js";

/** What a schema is about: itself, or the one alternative that is not null. */
export function plain(schema) {
  if (schema === null || typeof schema !== "object") return {};
  const ways = schema.anyOf ?? schema.oneOf;
  const [only, ...more] = (ways ?? []).filter((way) => way?.type !== "null");
  if (ways && only && more.length === 0) return { ...only, ...schema, anyOf: undefined, oneOf: undefined };
  return schema;
}

/** `string`, `array` and so on where it is just one, apart from null. */
export function typeOf(schema) {
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  return types.length === 1 ? types[0] : undefined;
}

/** What a value must be, as a phrase. */
export function phrase(given) {
  const schema = plain(given);
  if ("const" in schema) return `always ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.enum))
    return `one of ${schema.enum.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ")}`;
  if (schema.anyOf ?? schema.oneOf) return (schema.anyOf ?? schema.oneOf).map(phrase).join(" or ");
  const types = [schema.type ?? "any JSON"].flat();
  const named = types.map((type) => {
    if (type === "array") return schema.items ? `list of ${phrase(schema.items)}` : "list";
    return type === "string" ? (schema.format ?? type) : type;
  });
  const bounds = [
    range(schema.minimum ?? schema.exclusiveMinimum, schema.maximum ?? schema.exclusiveMaximum, ""),
    schema.minLength === 1 && schema.maxLength === undefined
      ? "not empty"
      : range(schema.minLength || undefined, schema.maxLength, " characters"),
    range(schema.minItems || undefined, schema.maxItems, " items"),
    schema.pattern && `matching ${schema.pattern}`,
  ];
  return [named.join(" or "), ...bounds.filter(Boolean)].join(", ");
}

function range(least, most, unit) {
  // The bounds of a whole machine integer say nothing.
  if (Math.abs(least ?? 0) >= 2 ** 31 - 1 || Math.abs(most ?? 0) >= 2 ** 31 - 1) return "";
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? "" : `at most ${most}${unit}`;
}

/** A list of the members of an object, and of theirs. */
export function outline(schema, depth = 0) {
  const members = Object.entries(plain(schema).properties ?? {});
  if (members.length === 0 || depth > 5) return null;
  const required = new Set(plain(schema).required ?? []);
  return make(
    "dl.outline",
    {},
    members.map(([name, member]) => {
      const { description, default: usual, items } = plain(member);
      const notes = [
        required.has(name) && "required",
        usual !== undefined && `${JSON.stringify(usual)} by default`,
      ].filter(Boolean);
      return make(
        "div",
        {},
        make("dt", {}, make("code", {}, name), " ", make("span.hint", {}, [phrase(member), ...notes].join(" · "))),
        make(
          "dd",
          {},
          description && make("p", {}, description),
          outline(member, depth + 1) ?? outline(items ?? {}, depth + 1),
        ),
      );
    }),
  );
}
