// Whether everybody can use it: rules that machines can check, in both colour schemes, wide and narrow.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import axe from "axe-core";

import { launch, open } from "./browser.mjs";
import { serve } from "./host.mjs";

let browser;
let host;

before(async () => {
  browser = await launch();
  host = await serve(["asker", "checked", "typed"]);
});

after(async () => {
  await browser.close();
  await host.stop();
});

/** The states of the page that differ. */
const STATES = {
  entrance: { hash: "", wait: "#token" },
  tool: { hash: "tool=typed", wait: "#tool form" },
  ungranted: { hash: "tool=checked", wait: ".grants", calls: ".failure" },
  question: { hash: "tool=ask_both", wait: "#tool form", calls: ".questions" },
  result: { hash: "tool=planned", wait: "#tool form", calls: ".tree" },
  nothing: { hash: "tool=no_such_tool", wait: "#list button" },
};

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 800, 390]) {
    test(`${colorScheme}, ${width} wide`, async () => {
      for (const [state, { hash, wait, calls }] of Object.entries(STATES)) {
        const { page, context, complaints } = await open(browser, { colorScheme, viewport: { width, height: 844 } });
        if (state !== "entrance")
          await page.addInitScript((token) => sessionStorage.setItem("hermes-token", token), host.token);
        await page.goto(`${host.url}#${hash}`);
        await page.locator(wait).first().waitFor();
        if (calls) {
          await page.keyboard.press("Control+Enter");
          await page.locator(".outcome .badge").waitFor();
          const shown = await page.locator(".outcome").innerText();
          assert.ok((await page.locator(`.outcome ${calls}`).count()) > 0, `${state}: ${shown}`);
        }
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
        const found = violations.map(
          ({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map((node) => node.html).join(" ")}`,
        );
        assert.deepEqual(found, [], state);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(wider <= 0, `${state}: ${wider} px too wide`);
        if (state !== "entrance") assert.deepEqual(complaints, [], state);
        await context.close();
      }
    });
  }
}
