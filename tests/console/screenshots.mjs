// Pictures of the console, for the documentation: light and dark, wide and narrow. usage: screenshots.mjs FOLDER

import { join } from "node:path";

import { launch, open } from "./browser.mjs";
import { serve } from "./host.mjs";

const [folder] = process.argv.slice(2);
const SIZES = [
  { width: 1280, height: 860 },
  { width: 390, height: 844 },
];

const host = await serve(["typed", "asker", "checked"], [], { WEATHER_API_KEY: "a-key" });
const browser = await launch();
try {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of SIZES) {
      const { page, context } = await open(browser, { colorScheme, viewport, deviceScaleFactor: 1 });
      await page.goto(`${host.url}#token=${host.token}`);
      await page.getByRole("button", { name: "typed" }).click();
      const form = page.getByRole("form", { name: "Arguments" });
      await form.getByLabel("name").fill("Ada");
      await form.getByLabel("count").fill("42");
      await form.getByRole("button", { name: "Call" }).click();
      await page.getByText("of it on a processor").waitFor();
      if (viewport.width < 500) {
        await page.locator("#tool h2").evaluate((title) => window.scrollTo(0, title.getBoundingClientRect().top - 24));
      } else {
        await page.evaluate(() => window.scrollTo(0, 0));
      }
      await page.screenshot({ path: join(folder, `console-${colorScheme}-${viewport.width}.png`) });
      await context.close();
    }
  }
} finally {
  await browser.close();
  await host.stop();
}
