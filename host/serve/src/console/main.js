// The console: puts its parts together.

import { Refused, forgetToken, hasToken, keepToken, read, takeToken, whenTokenIsWanted } from "./api.js";
import { Approvals } from "./approvals.js";
import { fill, find, say } from "./dom.js";
import { follow } from "./events.js";
import { List } from "./list.js";
import { ToolView } from "./tool.js";

let tools = [];
let following;

const approvals = new Approvals(find("approvals-list"), () => refreshLater());
const view = new ToolView(find("tool"), (tool) => approvals.of(tool));
const list = new List(find("list"), find("filter"), find("count"), (name) => choose(name));

/** The tool that the address names, or the first. */
const chosen = () => new URLSearchParams(location.hash.slice(1)).get("tool") ?? tools[0]?.function.name;

function choose(name) {
  const hash = `#${new URLSearchParams({ tool: name })}`;
  if (location.hash !== hash) history.pushState(null, "", hash);
  show();
  view.title().focus();
}

function show() {
  const name = chosen();
  list.update(tools, name);
  const tool = tools.find((one) => one.function.name === name);
  if (tool) view.show(tool);
  else view.none(name);
  document.title = name ? `${name} · hermes-host` : "hermes-host";
}

let looking;
let again = false;
/** Looks again; whoever asks for that meanwhile gets one more look, however many they are. */
function refresh() {
  again = true;
  looking ??= (async () => {
    try {
      while (again) {
        again = false;
        await look();
      }
    } finally {
      looking = undefined;
    }
  })();
  return looking;
}

/** The same, for those who do not wait. What went wrong was said. */
const refreshLater = () => void refresh().catch(() => {});

async function look() {
  try {
    const [listed] = await Promise.all([read("/v1/tools?all"), approvals.look()]);
    ({ tools } = listed);
    show();
  } catch (error) {
    if (!(error instanceof Refused && error.status === 401)) say(`The tools cannot be listed: ${error.message}`);
    throw error;
  }
}

function enter() {
  find("entrance").hidden = true;
  find("desk").hidden = false;
  find("forget").hidden = !hasToken();
  following?.abort();
  following = new AbortController();
  void follow(refreshLater, following.signal);
}

async function open() {
  try {
    await refresh();
    enter();
  } catch (error) {
    if (error.status !== 401) fill(find("state"), `not connected: ${error.message}`);
  }
}

whenTokenIsWanted((wrong) => {
  following?.abort();
  forgetToken();
  find("desk").hidden = true;
  find("forget").hidden = true;
  find("entrance").hidden = false;
  fill(find("state"), "");
  fill(find("token-problem"), wrong ? "That is not a token of this host." : "");
  find("token").value = "";
  find("token").focus();
});

find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken(find("token").value.trim());
  void open();
});

find("forget").addEventListener("click", () => {
  forgetToken();
  location.reload();
});

window.addEventListener("popstate", show);
window.addEventListener("hashchange", () => {
  takeToken();
  show();
});

document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const writes = target.closest("input, textarea, select") !== null;
  if (key === "/" && !writes && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    find("filter").select();
    find("filter").focus();
  } else if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const form = target.closest("form.questions");
    if (find("desk").hidden) return;
    event.preventDefault();
    if (form) form.requestSubmit();
    else if (view.call && !view.call.runs) void view.call.run();
  } else if (key === "Escape" && !find("desk").hidden) {
    if (target === find("filter") && target.value !== "") {
      target.value = "";
      list.show();
    } else if (view.call?.runs) {
      view.call.cancel();
    } else {
      list.focus();
    }
    event.preventDefault();
  }
});

takeToken();
void open();
