// What changes while the host serves, as it changes.

import { ask, events } from "./api.js";
import { fill, find, make } from "./dom.js";

/** Lines of the log that are kept. */
const KEPT = 200;
const SOON = 1_000;
const LATE = 15_000;

const wait = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Follows the host's changes until `signal`, and comes back when the connection is lost. `changed` is called after each. */
export async function follow(changed, signal) {
  let pause = SOON;
  let lost = false;
  let generation;
  while (!signal.aborted) {
    try {
      const response = await ask("/v1/events", { stream: true, signal });
      for await (const { name, data } of events(response)) {
        pause = SOON;
        if (name !== "generation") continue;
        if (data.added) log(sentence(data));
        else if (lost) log(`back, at generation ${data.generation}`);
        else if (data.generation !== generation) log(`generation ${data.generation}`);
        lost = false;
        ({ generation } = data);
        state(generation);
        problems(data.problems ?? []);
        changed();
      }
    } catch (error) {
      if (signal.aborted || error.status === 401) return;
    }
    if (signal.aborted) return;
    lost = true;
    fill(find("state"), "not connected: trying again");
    find("state").className = "lost";
    await wait(pause);
    pause = Math.min(pause * 2, LATE);
  }
}

function state(generation) {
  fill(find("state"), `live · generation ${generation}`);
  find("state").className = "live";
}

function sentence(change) {
  const named = ["added", "changed", "removed", "held"]
    .filter((what) => change[what].length > 0)
    .map((what) => `${what} ${change[what].join(", ")}`);
  const others = ["toolsets", "policy", "prompts", "resources"]
    .filter((what) => change[what])
    .map((what) => `${what} changed`);
  return [...named, ...others].join("; ") || "what could not be loaded is another";
}

function log(text) {
  const list = find("log");
  const at = new Date().toLocaleTimeString("en-GB");
  list.prepend(make("li", {}, make("time", {}, at), " ", make("span", {}, text)));
  while (list.childElementCount > KEPT) list.lastElementChild.remove();
}

function problems(all) {
  find("problems").hidden = all.length === 0;
  fill(
    find("problems-list"),
    all.map(({ file, reason }) => make("li", {}, make("code", {}, file), make("p", {}, reason))),
  );
}
