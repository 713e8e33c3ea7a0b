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

/** Asks the client's program for `method`; what it is told then, it gives as JSON. */
function ask(method, params, resume) {
  if (resume === null) {
    const request = { id: "asked", kind: { tag: "other", val: [method, params] } };
    return { tag: "ask", val: { requests: [request], state: new Uint8Array(), expiresS: null } };
  }
  const [{ reply }] = resume.answers;
  return reply.tag === "accepted" ? reply.val : reply.tag;
}

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

  roots({ resume }) {
    behaviours.steps();
    const told = ask("roots/list", "{}", resume);
    if (told === `{"roots":[]}`) for (;;);
    return told;
  },

  sample({ resume }) {
    return ask("sampling/createMessage", '{"messages": "none"}', resume);
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

  handle(call, args) {
    const told = behaviours[JSON.parse(args).behaviour](call);
    return typeof told === "string" ? { tag: "done", val: { content: [{ tag: "text", val: told }] } } : told;
  },
};
