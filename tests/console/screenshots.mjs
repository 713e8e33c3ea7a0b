// Pictures of the console, for the documentation: light and dark, wide and narrow. usage: screenshots.mjs FOLDER

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { launch, open } from "./browser.mjs";
import { serve } from "./host.mjs";

const [folder] = process.argv.slice(2);
const SIZES = [
  { width: 1280, height: 960 },
  { width: 390, height: 1100 },
];

const host = await serve(["checked", "typed"], [], { WEATHER_API_KEY: "a-key" });
await writeFile(join(host.workspace, "notes.md"), "# Notes\n\nTODO: water the plants\n");
await writeFile(join(host.workspace, "garden.md"), "Beds 1 to 4\nTODO: sow beans\n");
const browser = await launch();
try {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of SIZES) {
      const { page, context } = await open(browser, { colorScheme, viewport });
      // Where the home of these pictures lies is of no interest.
      await page.route("**/v1/approvals", async (route) => {
        const response = await route.fetch();
        await route.fulfill({
          response,
          body: (await response.text()).replaceAll(host.home, "/home/ada/.hermes-host"),
        });
      });
      await page.goto(`${host.url}#token=${host.token}`);
      await page.getByRole("button", { name: "read_file" }).click();
      const form = page.getByRole("form", { name: "Arguments" });
      await form.getByLabel("path").fill("notes.md");
      await form.getByRole("button", { name: "Call" }).click();
      await page.getByText("on a processor").waitFor();
      // The focus is where a reader's would be, and no caret blinks.
      await page.locator(".outcome").focus();
      await page.evaluate(() => window.scrollTo(0, 0));
      await page.screenshot({
        path: join(folder, `console-${colorScheme}-${viewport.width}.png`),
        fullPage: false,
      });
      await context.close();
    }
  }
} finally {
  await browser.close();
  await host.stop();
}
