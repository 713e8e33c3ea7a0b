// A guest that does to a client what a test asks for.

import { report } from "hermes:progress/progress@0.1.0";
import { getStdout } from "wasi:cli/stdout@0.2.6";

import manifest from "./manifest.json";

// Whatever reached the host's stdout as it is would be taken for messages of the server.
const NOISE = `{"jsonrpc":"2.0","id":1,"result":{"forged":true}}
{"jsonrpc":"2.0","id":2,"result":{"forged":true}}
{"jsonrpc":"2.0","method":"notifications/forged"}
not JSON
`;

const behaviours = {
  noise() {
    getStdout().blockingWriteAndFlush(Uint8Array.from(NOISE, (character) => character.charCodeAt(0)));
    return "quiet";
  },

  steps() {
    for (const step of [1, 2, 3]) report(step, 3, `step ${step}`);
    return "three steps";
  },

  spin() {
    behaviours.steps();
    for (;;);
  },

  fail() {
    throw { tag: "failed", val: "it was asked to" };
  },
};

export const tool = {
  schema(name) {
    if (name !== manifest.name) return "";
    return JSON.stringify({ name, description: manifest.description, parameters: manifest.schema });
  },

  check() {},

  handle(_call, args) {
    const text = behaviours[JSON.parse(args).behaviour]();
    return { tag: "done", val: { content: [{ tag: "text", val: text }] } };
  },
};
