// A host that serves, with a home of its own.

import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const { HERMES_HOST, HERMES_GUESTS } = process.env;

/** Starts a host with these guests in its plugins folder, and these further arguments. */
export async function serve(guests, args = [], env = {}) {
  const scratch = await mkdtemp(join(tmpdir(), "console-"));
  const [home, workspace] = [join(scratch, "home"), join(scratch, "workspace")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(home, "plugins"));
  await mkdir(workspace);
  const drop = (guest) => copyFile(join(HERMES_GUESTS, `guest_${guest}.wasm`), join(home, "plugins", `${guest}.wasm`));
  await Promise.all(guests.map(drop));
  const host = spawn(HERMES_HOST, ["run", "--http", "127.0.0.1:0", "--json", "--workspace", workspace, ...args], {
    env: { ...process.env, HERMES_HOME: home, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => host.once("exit", resolve));
  const [line] = await Promise.race([
    (async () => {
      for await (const line of createInterface(host.stdout)) return [line];
      throw new Error("the host does not serve");
    })(),
  ]);
  const said = JSON.parse(line);
  const token = said.token_file && (await readFile(said.token_file, "utf8")).trim();
  return {
    url: said.console,
    token,
    drop,
    home,
    workspace,
    async stop() {
      host.kill();
      await ended;
      await rm(scratch, { recursive: true });
    },
  };
}
