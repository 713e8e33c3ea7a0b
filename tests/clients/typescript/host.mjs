// How the official clients connect to the host over stdio: the 2.x line in both eras, and the 1.x line.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as TransportV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const INFO = { name: "client-tests", version: "1" };
const capabilities = { elicitation: { form: {}, url: {} } };

// Compiling a Python component takes the longest; with a debug build on a loaded machine, about a minute.
const PATIENCE_MS = 180_000;

/** What differs between the clients under test. */
export const clients = [
  {
    name: "client 2.x, legacy",
    revision: "2025-11-25",
    create: () => new ClientV2(INFO, { capabilities }),
    Transport: TransportV2,
    elicitation: "elicitation/create",
    call: (client, params, options) => client.callTool(params, options),
  },
  {
    name: "client 2.x, modern",
    revision: "2026-07-28",
    create: () => new ClientV2(INFO, { capabilities, versionNegotiation: { mode: "auto" } }),
    Transport: TransportV2,
    elicitation: "elicitation/create",
    call: (client, params, options) => client.callTool(params, options),
  },
  {
    name: "sdk 1.x",
    revision: "2025-11-25",
    create: () => new ClientV1(INFO, { capabilities }),
    Transport: TransportV1,
    elicitation: ElicitRequestSchema,
    call: (client, params, options) => client.callTool(params, undefined, options),
  },
];

/**
 * Runs `body` with a connected session, whose workspace holds `notes.txt`; `user` answers what its tools ask. Throws if the
 * client met anything on stdout that is no message of the protocol.
 */
export async function withSession({ create, Transport, call, elicitation }, body, user = () => ({ action: "cancel" })) {
  const workspace = await mkdtemp(join(tmpdir(), "hermes-clients-"));
  await writeFile(join(workspace, "notes.txt"), "first line\nsecond line\n");
  const client = create();
  client.setRequestHandler(elicitation, async ({ params }) => user(params));
  const strays = [];
  client.onerror = (error) => strays.push(error);
  const transport = new Transport({
    command: process.env.HERMES_HOST,
    args: ["run", "--stdio", "--workspace", workspace, "--plugins", process.env.HERMES_TEST_PLUGINS],
    env: { PATH: process.env.PATH, HERMES_HOME: process.env.HERMES_HOME },
    stderr: "inherit",
  });
  try {
    await client.connect(transport, { timeout: PATIENCE_MS });
    await body({
      client,
      transport,
      call: (name, args, options) => call(client, { name, arguments: args }, { timeout: PATIENCE_MS, ...options }),
    });
  } finally {
    await client.close();
    await rm(workspace, { recursive: true });
  }
  if (strays.length > 0) throw new AggregateError(strays, strays.join("; "));
}
