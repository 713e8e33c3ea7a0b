// The browser, and pages of the console whose every complaint counts.

import { chromium } from "playwright-core";

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM });

/** A page. `complaints` holds errors of its scripts, what it logged as one, and what its policy refused. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  // What a machine that has much else to do may need.
  page.setDefaultTimeout(60_000);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() !== "error" && message.type() !== "warning") return;
    complaints.push(message.text());
  });
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  return { page, context, complaints };
}
