/**
 * The program of the sandbox: it runs the code that the page `/play` sends, and answers the requests of the console, which is in the
 * same document, by the server that the code creates. There is no network: `fetch` reaches that server alone.
 */
import { consolePage } from "../../../src/entries/console.ts";
import { type AnyServer, defineShims } from "./modules.ts";
import { inspect } from "./inspect.ts";
import { runCode } from "./run_code.ts";

const KEY = "the console of a page";
const server = Promise.withResolvers<AnyServer>();

/** A message to the page around the sandbox. */
function send(message: Readonly<Record<string, unknown>>): void {
  parent.postMessage(message, "*");
}

installStorage();
installFetch();
const modules = defineShims({
  console: () => consolePage({ key: KEY }),
  created: (created) => {
    server.resolve(created);
    send({ type: "server" });
  },
});

const LEVELS = ["debug", "info", "log", "warn", "error"] as const;
/** What the code sees as `console`. The one of the browser stays for the page of the console. */
const output = Object.fromEntries(
  LEVELS.map((
    level,
  ) => [
    level,
    (...values: unknown[]) =>
      send({
        type: "line",
        level,
        text: values.map((value) => inspect(value)).join(" "),
      }),
  ]),
);

addEventListener(
  "message",
  ({ data, source }: MessageEvent<{ readonly code?: unknown }>) => {
    if (source !== parent || typeof data.code !== "string") return;
    runCode(data.code, modules, { ...console, ...output }).then(
      () => send({ type: "done" }),
      (error: unknown) => send({ type: "error", ...(error as object) }),
    );
  },
);
addEventListener(
  "unhandledrejection",
  ({ reason }: PromiseRejectionEvent) =>
    send({
      type: "line",
      level: "error",
      text: `Unhandled: ${inspect(reason)}`,
    }),
);
send({ type: "ready" });

/** A sandbox has no storage: the console's settings last as long as the document. */
function installStorage(): void {
  for (const name of ["localStorage", "sessionStorage"]) {
    const items = new Map([["toolwire-key", KEY], [
      "toolwire-theme",
      new URLSearchParams(location.search).get("theme") ?? "auto",
    ]]);
    Object.defineProperty(globalThis, name, {
      value: {
        getItem: (key: string) => items.get(key) ?? null,
        setItem: (key: string, value: string) => void items.set(key, value),
        removeItem: (key: string) => void items.delete(key),
      },
    });
  }
}

/** Requests to this machine, and those of the console, reach the server of the code. */
function installFetch(): void {
  const page = new URL(location.href);
  const answer = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(
      input instanceof URL ? input.href : input,
      init,
    );
    const url = new URL(request.url);
    const isConsole = url.host === page.host;
    if (!isConsole && !/^(localhost|127\.0\.0\.1)$/.test(url.hostname)) {
      throw new TypeError(
        `Cannot request ${url.origin}: code on this page has no network, and reaches its own server alone`,
      );
    }
    const path = isConsole && url.pathname.startsWith(page.pathname)
      ? `/console${url.pathname.slice(page.pathname.length)}`
      : url.pathname;
    const { method, headers, signal } = request;
    const body = method === "GET" || method === "HEAD" ? null : await request.arrayBuffer();
    return await (await server.promise).fetch(
      new Request(`http://localhost${path}${url.search}`, {
        method,
        headers,
        body,
        signal,
      }),
    );
  };
  globalThis.fetch = answer as typeof fetch;
}
