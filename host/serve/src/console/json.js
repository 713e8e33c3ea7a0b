// JSON whose numbers keep all of their digits, where the browser can do that.

/** A number as it is written. */
export const number = (text) => JSON.rawJSON?.(text) ?? Number(text);

/** The text of such a number; undefined for any other value. */
export const digits = (value) => (JSON.isRawJSON?.(value) ? value.rawJSON : undefined);

/** Reads JSON. */
export function exact(text) {
  return JSON.parse(text, (_, value, context) => {
    const loses = typeof value === "number" && context?.source !== undefined && String(value) !== context.source;
    return loses ? number(context.source) : value;
  });
}
