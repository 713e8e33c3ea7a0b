// What the page asks of the host, with the token of its user.

const KEPT = "hermes-token";

/** An answer that is no success. */
export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.kind = error.kind;
    this.hint = error.hint;
  }
}

let wanted = () => {};

/** Calls `ask` whenever a token is needed. */
export function whenTokenIsWanted(ask) {
  wanted = ask;
}

export const hasToken = () => sessionStorage.getItem(KEPT) !== null;
export const keepToken = (token) => sessionStorage.setItem(KEPT, token);
export const forgetToken = () => sessionStorage.removeItem(KEPT);

/** Takes the token out of the address, where the host printed it. */
export function takeToken() {
  const said = new URLSearchParams(location.hash.slice(1)).get("token");
  if (said === null) return;
  history.replaceState(null, "", location.pathname);
  keepToken(said);
}

/** Asks the host; a refusal is thrown. */
export async function ask(path, { body, signal, stream } = {}) {
  const headers = { Accept: stream ? "text/event-stream" : "application/json" };
  const token = sessionStorage.getItem(KEPT);
  if (token !== null) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) wanted(token !== null);
  throw new Refused(
    response.status,
    answer.error ?? { kind: "unknown", message: `the host answered ${response.status}` },
  );
}

export const read = async (path) => (await ask(path)).json();

/** The events of a stream, as `{name, data}`; comments are left out. An `EventSource` cannot show a token. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let pieces = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      pieces += value;
      const whole = pieces.split("\n\n");
      pieces = whole.pop();
      for (const event of whole) {
        const field = (name) =>
          event
            .split("\n")
            .find((line) => line.startsWith(name))
            ?.slice(name.length);
        const [name, data] = [field("event: "), field("data: ")];
        if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
