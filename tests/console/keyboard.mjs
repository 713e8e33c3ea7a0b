// A user without a pointer.

import assert from "node:assert/strict";

/** What has the focus: its name, as it is read out, and what it is. */
export const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    const labels = [...(element.labels ?? [])].map((label) => label.textContent);
    const name = element.getAttribute("aria-label") ?? (labels.length > 0 ? labels.join(" ") : element.textContent);
    return { name: name.replaceAll(/\s+/g, " ").trim(), tag: element.localName, id: element.id };
  });

/** Goes on with the tab key until the focus is on something whose name begins so. */
export async function tabTo(page, name, key = "Tab") {
  const seen = [];
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    seen.push(now.name.slice(0, 30));
    if (now.name.startsWith(name) && now.tag !== "body") return;
  }
  assert.fail(`the tab key does not come to ${name}, but to ${seen.join(" | ")}`);
}

export const type = (page, text) => page.keyboard.type(text);
export const press = (page, key) => page.keyboard.press(key);

/** Opens a tool by filtering for it. */
export async function openTool(page, name) {
  await press(page, "/");
  await type(page, name);
  await press(page, "Enter");
  await page.locator("#tool h2 .name", { hasText: new RegExp(`^${name}$`) }).waitFor();
}
