// The console in a browser, by keyboard alone.

import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { launch, open } from "./browser.mjs";
import { serve } from "./host.mjs";
import { focused, openTool, press, tabTo, type } from "./keyboard.mjs";

let browser;
let host;

before(async () => {
  browser = await launch();
  host = await serve(["asker", "checked", "conformance", "helper", "typed"], [], { CHECKED: "ok" });
});

after(async () => {
  await browser.close();
  await host.stop();
});

/** A page that was opened with the token; nothing may go wrong on it, and nothing may go elsewhere. */
async function visit(
  use,
  { path = `#token=${host.token}`, ready = "#list button", complaints: expected = /(?!)/, ...options } = {},
) {
  const { page, context, complaints } = await open(browser, options);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  try {
    await page.goto(host.url + path);
    await page.locator(ready).first().waitFor();
    await use(page, asked);
    assert.deepEqual(
      complaints.filter((complaint) => !expected.test(complaint)),
      [],
    );
    for (const url of asked) assert.ok(url.startsWith(host.url) || url.startsWith("data:"), url);
  } finally {
    await context.close();
  }
}

/** A page that is looked at as it is. */
async function visitor(url) {
  const { page, context } = await open(browser);
  await page.goto(url);
  await page.locator("#list button").first().waitFor();
  return { page, context };
}

const outcome = (page, word) => page.locator(".outcome .badge", { hasText: word }).waitFor();
const result = (page) => page.locator(".outcome").innerText();

describe("who gets in", () => {
  test("asks for a token, and again after a wrong one", async () => {
    const { page, context } = await open(browser);
    await page.goto(host.url);
    await page.getByLabel("Token").waitFor();
    assert.equal((await focused(page)).id, "token");
    await type(page, "wrong-token");
    await press(page, "Enter");
    await page.getByText("That is not a token of this host.").waitFor();
    assert.equal((await focused(page)).id, "token");
    await type(page, host.token);
    await press(page, "Enter");
    await page.locator("#list button").first().waitFor();
    await context.close();
  });

  test("takes the token out of the address, and never sends it in one", () =>
    visit(
      async (page, asked) => {
        assert.equal(new URL(page.url()).hash, "");
        for (const url of asked) assert.ok(!url.includes(host.token), url);
        await page.reload();
        await page.locator("#list button").first().waitFor();
        await tabTo(page, "Forget token");
        await press(page, "Enter");
        await page.getByLabel("Token").waitFor();
        assert.equal(await page.evaluate(() => sessionStorage.length), 0);
      },
      { complaints: /401/ },
    ));
});

describe("trying tools", () => {
  test("filters, fills in, calls, and shows the result", () =>
    visit(async (page) => {
      await press(page, "/");
      await type(page, "typed read");
      assert.equal(await page.locator("#list button").count(), 2);
      await press(page, "ArrowDown");
      await press(page, "ArrowDown");
      assert.equal((await focused(page)).name.includes("typed"), true);
      await press(page, "Enter");
      assert.equal((await focused(page)).tag, "h2");
      await tabTo(page, "name");
      await type(page, "Ada Lovelace");
      await tabTo(page, "count");
      await type(page, "9007199254740993");
      await tabTo(page, "Add an item");
      await press(page, "Enter");
      await type(page, "green");
      await tabTo(page, "Set it");
      await press(page, "Space");
      await tabTo(page, "city");
      await type(page, "London");
      await press(page, "Control+Enter");
      await outcome(page, "invalid");
      // The number is more than the tool takes: the host says so, at the number, with all of its digits.
      assert.match((await focused(page)).name, /^count/);
      assert.equal(await page.locator("[aria-invalid]").count(), 1);
      await press(page, "Control+a");
      await type(page, "42");
      await press(page, "Control+Enter");
      await outcome(page, "done");
      const text = await result(page);
      for (const part of ['name "Ada Lovelace"', "count 42", "flag true", '0 "red"', '1 "green"', 'city "London"']) {
        assert.ok(text.includes(part), `${part} in ${text}`);
      }
      assert.match(text, /^done [\d.]+ m?s [\d.]+ m?s of it on a processor/);
      assert.equal(await page.locator("[aria-invalid]").count(), 0);
    }));

  test("takes JSON instead of the form, and goes back to it", () =>
    visit(async (page) => {
      await openTool(page, "echo");
      await tabTo(page, "Write JSON instead");
      await press(page, "Enter");
      await tabTo(page, "Arguments as JSON", "Shift+Tab");
      await press(page, "Control+a");
      await type(page, '{"text": "from JSON');
      await press(page, "Control+Enter");
      await outcome(page, "invalid");
      await type(page, '"}');
      await press(page, "Control+Enter");
      await outcome(page, "done");
      await tabTo(page, "Use the form");
      await press(page, "Enter");
      assert.equal(await page.getByLabel("text", { exact: false }).first().inputValue(), "from JSON");
    }));

  test("cancels a call, and the host hears of it", () =>
    visit(async (page) => {
      await openTool(page, "spin");
      await press(page, "Control+Enter");
      await page.locator("progress").waitFor();
      await press(page, "Escape");
      await page.getByText("The call was cancelled.").last().waitFor();
      await tabTo(page, "Call");
    }));

  test("shows images and sound, and how far a call is", () =>
    visit(async (page) => {
      for (const [tool, shown] of [
        ["test_image_content", "img"],
        ["test_audio_content", "audio"],
        ["test_tool_with_progress", ".badge"],
      ]) {
        await openTool(page, tool);
        await press(page, "Control+Enter");
        await page.locator(`.outcome ${shown}`).waitFor();
        await outcome(page, "done");
      }
    }));

  test("tells what went wrong", () =>
    visit(async (page) => {
      await openTool(page, "crash");
      await press(page, "Control+Enter");
      await outcome(page, "trap");
      const text = await result(page);
      assert.ok(text.includes("the tool crashed") && !text.includes("the secret"), text);
    }));
});

describe("questions and approvals", () => {
  test("answers the questions of a call", () =>
    visit(async (page) => {
      await openTool(page, "ask_name");
      await press(page, "Control+Enter");
      await outcome(page, "pending");
      assert.match((await focused(page)).name, /^name/);
      await type(page, "Ada");
      await tabTo(page, "colour");
      await type(page, "green");
      await tabTo(page, "age");
      await type(page, "36");
      await press(page, "Control+Enter");
      await page.getByText("Ada, anything else?").waitFor();
      await type(page, "No.");
      await tabTo(page, "Accept");
      await press(page, "Enter");
      await outcome(page, "done");
      assert.match(await result(page), /name "Ada"[^]*note "No\."/);
    }));

  test("declines, and says what of an answer does not fit", () =>
    visit(async (page) => {
      await openTool(page, "ask_name");
      await press(page, "Control+Enter");
      await outcome(page, "pending");
      await press(page, "Control+Enter");
      await page.locator(".questions [aria-invalid]").first().waitFor();
      await tabTo(page, "Decline");
      await press(page, "Enter");
      await outcome(page, "done");
      assert.match(await result(page), /person "declined"/);
    }));

  test("shows an address as it is, and opens nothing by itself", () =>
    visit(async (page) => {
      await openTool(page, "ask_both");
      await press(page, "Control+Enter");
      await outcome(page, "pending");
      const link = page.getByRole("link", { name: "https://example.com/" });
      assert.deepEqual(
        [await link.getAttribute("rel"), await link.getAttribute("target")],
        ["noopener noreferrer", "_blank"],
      );
      // Choices are one stop of the tab key.
      await tabTo(page, "https://");
      await tabTo(page, "Accept");
      await press(page, "ArrowDown");
      assert.equal((await focused(page)).name, "Decline");
      await tabTo(page, "Send the answers");
      await press(page, "Enter");
      await outcome(page, "pending");
      assert.equal(page.context().pages().length, 1);
    }));

  test("shows a denial and its command, approves, and calls", () =>
    visit(async (page) => {
      await openTool(page, "checked");
      await page.locator("#tool .badge", { hasText: "ungranted" }).waitFor();
      await press(page, "Control+Enter");
      await outcome(page, "denied");
      assert.match(await result(page), /hermes-host approve checked/);
      await tabTo(page, "Approve…");
      await press(page, "Enter");
      assert.equal((await focused(page)).name, "Allow");
      await press(page, "Enter");
      await page
        .locator("#tool .badge", { hasText: /ready|unverified/ })
        .first()
        .waitFor();
      assert.equal((await focused(page)).name, "Approvals");
      await press(page, "Control+Enter");
      await outcome(page, "done");
      assert.match(await result(page), /ran/);
    }));
});

describe("without a token", () => {
  test("shows the tools, and for an approval the command", async () => {
    const own = await serve(["checked"], ["--no-token"]);
    try {
      const { page, context } = await visitor(own.url);
      await openTool(page, "checked");
      assert.equal(await page.getByText("Forget token").isVisible(), false);
      await page.getByRole("button", { name: "Allow" }).press("Enter");
      await page.locator(".card .problem", { hasText: "hermes-host approve checked" }).waitFor();
      await context.close();
    } finally {
      await own.stop();
    }
  });
});

describe("a host that ends", () => {
  test("is told, and the page stays as it was", async () => {
    const own = await serve(["helper"]);
    const { page, context } = await visitor(`${own.url}#token=${own.token}`);
    await openTool(page, "echo");
    await own.stop();
    await page.getByText("not connected: trying again").waitFor();
    await press(page, "Control+Enter");
    await page.locator(".outcome .failure").waitFor();
    assert.ok(await page.locator("#list button", { hasText: "echo" }).isVisible());
    await context.close();
  });
});

describe("while it serves", () => {
  test("shows what is dropped into the folder, keeps the focus, and what could not be loaded", () =>
    visit(async (page) => {
      await openTool(page, "echo");
      await press(page, "Escape");
      await press(page, "/");
      await press(page, "Control+a");
      await press(page, "Delete");
      await press(page, "ArrowDown");
      const before = await focused(page);
      await host.drop("sized");
      await page.locator("#list button", { hasText: "big_text" }).waitFor();
      await page.locator("#log li", { hasText: /added .*big_text/ }).waitFor();
      assert.deepEqual(await focused(page), before);
      const file = join(host.home, "plugins", "half.wasm");
      await writeFile(file, "half a file");
      await page.locator("#problems-list li", { hasText: "half.wasm" }).waitFor();
      await rm(file);
      await rm(join(host.home, "plugins", "sized.wasm"));
      await page.locator("#log li", { hasText: /removed .*big_text/ }).waitFor();
      await page.locator("#list button", { hasText: "big_text" }).waitFor({ state: "detached" });
      await page.locator("#problems").waitFor({ state: "hidden" });
    }));
});

describe("hostile tools", () => {
  const nasty = '<img src=x onerror="document.title=1"><script>document.title = 1</script>\u202egnp.exe\u2066\u200b';
  const long = "w".repeat(5_000);

  /** The host's own list with a tool in it that no manifest could be. */
  async function hostile(route) {
    const answer = await route.fetch();
    const body = await answer.json();
    const [first] = body.tools;
    const properties = Object.fromEntries(
      [...Array(200).keys()].map((number) => [
        `${nasty}${number}`,
        { type: "string", description: number % 50 ? nasty : long },
      ]),
    );
    properties.__proto = { type: "array", items: { type: "object", properties: { deep: { $ref: "#" } } } };
    const parameters = { type: "object", properties, required: [`${nasty}7`] };
    const function_ = { name: "aaa_hostile", description: `${nasty}\n${long}`, parameters };
    body.tools.unshift({
      ...first,
      function: function_,
      title: nasty,
      emoji: nasty,
      toolsets: [nasty],
      reason: nasty,
      state: "ungranted",
      command: nasty,
      asks: [nasty],
      lacks: [long],
    });
    await route.fulfill({ response: answer, json: body });
  }

  for (const width of [1280, 390]) {
    test(`are shown as text, ${width} wide`, () =>
      visit(
        async (page) => {
          await page.route("**/v1/tools?all", hostile);
          await page.reload();
          await openTool(page, "aaa_hostile");
          await page.getByText("200 optional arguments").waitFor();
          const text = await page.locator("body").innerText();
          assert.ok(text.includes("<script>document.title = 1</script>⟦U+202E⟧gnp.exe⟦U+2066⟧⟦U+200B⟧"));
          assert.ok(!/[\u202e\u2066\u200b]/.test(text));
          assert.equal(await page.locator("script:not([src]), #desk img").count(), 0);
          assert.match(await page.title(), /hermes-host/);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
        },
        { viewport: { width, height: 844 } },
      ));
  }

  test("say what they like in results", () =>
    visit(async (page) => {
      await openTool(page, "echo");
      await tabTo(page, "text");
      await page.keyboard.insertText(nasty + long);
      await press(page, "Control+Enter");
      await outcome(page, "done");
      assert.ok((await result(page)).includes('<img src=x onerror="document.title=1">'));
      await tabTo(page, "text", "Shift+Tab");
      await press(page, "Control+a");
      await page.keyboard.insertText(
        JSON.stringify({ [nasty]: [nasty, { deep: long }], many: Array(500).fill(nasty) }),
      );
      await press(page, "Control+Enter");
      await page.locator(".outcome .tree").first().waitFor();
      assert.ok((await result(page)).includes("⟦U+202E⟧"));
      await tabTo(page, "text", "Shift+Tab");
      await press(page, "Control+a");
      await page.keyboard.insertText('{"large": [9007199254740993, 1.0], "__proto__": {"odd": 1}}');
      await press(page, "Control+Enter");
      await page.locator(".outcome .tree", { hasText: "9007199254740993" }).first().waitFor();
      assert.match(await result(page), /0 9007199254740993\s+1 1\.0[^]*odd 1/);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    }));
});
