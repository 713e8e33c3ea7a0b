// How the official clients connect to the host, over stdio and HTTP: the 2.x line in both eras, and the 1.x line.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const INFO = { name: "client-tests", version: "1" };
const capabilities = { elicitation: { form: {}, url: {} } };

// Compiling a Python component takes the longest; with a debug build on a loaded machine, about a minute.
const PATIENCE_MS = 180_000;

/** What differs between the clients under test. */
const lines = [
  {
    name: "client 2.x, legacy",
    revision: "2025-11-25",
    create: () => new ClientV2(INFO, { capabilities }),
    Stdio: StdioV2,
    Http: HttpV2,
    elicitation: "elicitation/create",
    call: (client, params, options) => client.callTool(params, options),
  },
  {
    name: "client 2.x, modern",
    revision: "2026-07-28",
    create: () => new ClientV2(INFO, { capabilities, versionNegotiation: { mode: "auto" } }),
    Stdio: StdioV2,
    Http: HttpV2,
    elicitation: "elicitation/create",
    call: (client, params, options) => client.callTool(params, options),
  },
  {
    name: "sdk 1.x",
    revision: "2025-11-25",
    create: () => new ClientV1(INFO, { capabilities }),
    Stdio: StdioV1,
    Http: HttpV1,
    elicitation: ElicitRequestSchema,
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
];

/** The clients, over each transport. */
export const clients = lines.flatMap((line) =>
  ["stdio", "http"].map((transport) => ({ ...line, transport, name: `${line.name}, ${transport}` })),
);

/** The words that start the host, but for how it is reached. */
const words = (workspace) => ["--workspace", workspace, "--plugins", process.env.HERMES_TEST_PLUGINS];

/** How the host is started over stdio. */
export const started = (workspace) => ({
  command: process.env.HERMES_HOST,
  args: ["run", "--stdio", ...words(workspace)],
  env: { PATH: process.env.PATH, HERMES_HOME: process.env.HERMES_HOME },
});

/** Runs `body` with the address and token of a host over HTTP, which has ended well after it. */
export async function served(workspace, body) {
  const { command, env } = started(workspace);
  const args = ["run", "--http", "127.0.0.1:0", "--json", ...words(workspace)];
  const host = spawn(command, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(host, "exit");
  try {
    const [line] = await once(createInterface(host.stdout), "line");
    const { mcp, token_file: file } = JSON.parse(line);
    await body({ mcp, token: (await readFile(file, "utf8")).trim() });
    host.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  } finally {
    host.kill("SIGKILL");
  }
}

/** Runs `body` with a transport to the host. */
function withTransport({ transport, Stdio, Http }, workspace, body) {
  if (transport === "stdio") return body(new Stdio({ ...started(workspace), stderr: "inherit" }));
  return served(workspace, ({ mcp, token }) =>
    body(new Http(new URL(mcp), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })),
  );
}

/** Runs `body` with a folder that holds `notes.txt`. */
export async function withWorkspace(body) {
  const workspace = await mkdtemp(join(tmpdir(), "hermes-clients-"));
  try {
    await writeFile(join(workspace, "notes.txt"), "first line\nsecond line\n");
    return await body(workspace);
  } finally {
    await rm(workspace, { recursive: true });
  }
}

/**
 * Runs `body` with a connected session, whose workspace holds `notes.txt`; `user` answers what its tools ask. Throws if the
 * client met anything on stdout that is no message of the protocol.
 */
export async function withSession(line, body, user = () => ({ action: "cancel" })) {
  const { create, call, elicitation } = line;
  const client = create();
  client.setRequestHandler(elicitation, async ({ params }) => user(params));
  const strays = [];
  // Closing aborts the streams that a client still reads, which it tells as errors of its own making.
  let closing = false;
  client.onerror = (error) => {
    if (!closing || !/AbortError/.test(String(error))) strays.push(error);
  };
  await withWorkspace((workspace) =>
    withTransport(line, workspace, async (transport) => {
      try {
        await client.connect(transport, { timeout: PATIENCE_MS });
        await body({
          client,
          transport,
          call: (name, args, options) => call(client, { name, arguments: args }, { timeout: PATIENCE_MS, ...options }),
        });
      } finally {
        closing = true;
        await client.close();
      }
    }),
  );
  if (strays.length > 0) throw new AggregateError(strays, strays.join("; "));
}
