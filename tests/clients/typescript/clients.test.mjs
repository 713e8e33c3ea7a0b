// The host through the official TypeScript clients.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { clients, withSession } from "./host.mjs";

const INVALID_PARAMS = -32602;

const text = (result) => result.content.map((block) => block.text ?? "").join("");

/** The failure as the model reads it. */
function failure(result) {
  assert.equal(result.isError, true);
  assert.equal(result.structuredContent, undefined);
  const told = JSON.parse(text(result));
  assert.equal(typeof told.error, "string");
  return told;
}

for (const client of clients) {
  describe(client.name, () => {
    test("greets", () =>
      withSession(client, async ({ client: session, transport }) => {
        assert.equal(session.getServerVersion().name, "hermes-host");
        assert.ok(session.getServerCapabilities().tools);
        const revision = session.getNegotiatedProtocolVersion?.();
        if (revision !== undefined) assert.equal(revision, client.revision);
        if (client.transport === "stdio") assert.ok(transport.pid);
      }));

    test("lists tools, the same each time", () =>
      withSession(client, async ({ client: session }) => {
        const { tools } = await session.listTools();
        const again = await session.listTools();
        assert.deepEqual(again.tools, tools);
        const byName = new Map(tools.map((tool) => [tool.name, tool]));
        assert.equal(byName.size, tools.length);
        for (const name of ["read_file", "word_count", "slugify", "probe"]) assert.ok(byName.has(name), name);
        assert.deepEqual(byName.get("read_file").inputSchema.required, ["path"]);
        assert.equal(byName.get("read_file").annotations.readOnlyHint, true);
        assert.equal(byName.get("slugify").annotations.openWorldHint, false);
        assert.deepEqual(byName.get("slugify").outputSchema.required, ["slug"]);
      }));

    test("reads a file of the workspace", () =>
      withSession(client, async ({ call }) => {
        const result = await call("read_file", { path: "notes.txt" });
        assert.ok(!result.isError, text(result));
        assert.match(text(result), /second line/);
      }));

    test("calls tools of other languages", () =>
      withSession(client, async ({ client: session, call }) => {
        await session.listTools(); // from here on the client checks results against the tools' output schemas
        const counted = await call("word_count", { text: "one two\nthree" });
        assert.deepEqual(counted.structuredContent, { words: 3, characters: 13, lines: 2 });
        const slugged = await call("slugify", { text: "Crème Brûlée & Co.", separator: "_" });
        assert.deepEqual(slugged.structuredContent, { slug: "creme_brulee_co" });
      }));

    test("gets failures as results", () =>
      withSession(client, async ({ call }) => {
        const asked = failure(await call("probe", { behaviour: "fail" }));
        assert.equal(asked.kind, "failed");
        assert.match(asked.error, /it was asked to/);
        const wrong = failure(await call("read_file", {}));
        assert.equal(wrong.kind, "invalid");
        assert.match(JSON.stringify(wrong), /path/);
      }));

    test("is told what is wrong with arguments", () =>
      withSession(client, async ({ call }) => {
        const { kind, issues } = failure(await call("slugify", { text: "a", colour: "red" }));
        assert.equal(kind, "invalid");
        assert.equal(issues[0].path, "/colour");
        const coerced = await call("typed", { name: "a", count: "42" });
        assert.equal(coerced.structuredContent.count, 42);
      }));

    test("answers what tools ask", () => {
      const asked = [];
      const user = (params) => {
        asked.push(params.message);
        if (params.mode === "url") return { action: "accept" };
        if (params.message.startsWith("Who")) {
          return { action: "accept", content: { name: "Ada", colour: "green", age: 36, sure: true } };
        }
        return { action: "decline" };
      };
      const body = async ({ call }) => {
        const named = await call("ask_name", {});
        assert.equal(named.structuredContent.person.accepted.name, "Ada");
        assert.equal(named.structuredContent.note, "declined");
        const opened = await call("ask_url", {});
        assert.deepEqual(opened.structuredContent, { page: { accepted: {} } });
        assert.deepEqual(asked, ["Who are you?", "Ada, anything else?", "Log in"]);
      };
      return withSession(client, body, user);
    });

    test("reads a result that was too long to be sent at once", () =>
      withSession(client, async ({ client: session, call }) => {
        const preview = text(await call("big_text", { bytes: 300_000 }));
        const [uri] = preview.match(/hermes:\/\/results\/[0-9a-f]{32}/);
        const read = async (part) => (await session.readResource({ uri: uri + part })).contents[0].text;
        const whole = await read("");
        assert.equal(whole.length, 300_000);
        assert.equal((await read("?offset=0&limit=200000")) + (await read("?offset=200000&limit=200000")), whole);
        assert.equal((await read("?line=1&lines=100")) + (await read("?line=101&lines=100")), whole);
      }));

    test("gets an unknown tool as a protocol error", () =>
      withSession(client, async ({ call }) => {
        await assert.rejects(call("no_such_tool", {}), (error) => {
          assert.equal(error.code, INVALID_PARAMS);
          assert.match(error.message, /no_such_tool/);
          return true;
        });
      }));

    test("is not disturbed by what a guest prints", () =>
      withSession(client, async ({ call }) => {
        assert.equal(text(await call("probe", { behaviour: "noise" })), "quiet");
        assert.equal(text(await call("probe", { behaviour: "noise" })), "quiet");
      }));

    // These clients lose a report that comes in one read with the answer, so only a call that goes on is sure to show one.
    test("sees progress, cancels the call and goes on", () =>
      withSession(client, async ({ call }) => {
        const abort = new AbortController();
        const reports = [];
        const onprogress = (report) => {
          reports.push(report);
          if (report.progress >= 3) abort.abort("enough");
        };
        const spinning = call("probe", { behaviour: "spin" }, { signal: abort.signal, onprogress });
        await assert.rejects(spinning, /enough/);
        assert.deepEqual(reports.at(-1), { progress: 3, total: 3, message: "step 3" });
        const progress = reports.map((report) => report.progress);
        assert.deepEqual(progress, [...new Set(progress)].sort((a, b) => a - b));
        assert.equal(text(await call("probe", { behaviour: "steps" })), "three steps");
      }));

    if (client.transport === "stdio") {
      test("leaves no process behind", () =>
        withSession(client, async ({ client: session, transport, call }) => {
          const { pid } = transport;
          const spinning = new Promise((resolve, reject) => {
            const onprogress = ({ progress }) => progress >= 3 && resolve();
            call("probe", { behaviour: "spin" }, { onprogress }).then((result) => reject(new Error(text(result))), reject);
          });
          await spinning;
          await session.close();
          assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
        }));
    }
  });
}
