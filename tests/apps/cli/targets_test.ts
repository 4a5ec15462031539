/** Targets, flags of targets, and the words of programs. */
import { deepStrictEqual, match, strictEqual, throws } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import type { CliError } from "../../../apps/cli/cli_error.ts";
import { headersOf, parseDuration, principalOf } from "../../../apps/cli/targets/flags.ts";
import { parseTarget, splitWords, takeTarget } from "../../../apps/cli/targets/target.ts";
import { candidatesOf } from "../../../apps/cli/targets/wires.ts";

const here = fileURLToPath(new URL("./", import.meta.url));

const module = (file: string, exportName?: string) => ({ kind: "module", file, exportName });
const url = (text: string) => ({ kind: "url", url: new URL(text) });
const program = (command: string, ...args: readonly string[]) => ({ kind: "program", command, args });

test("targets by their form", () => {
  for (
    const [text, expected] of [
      ["./server.ts", module("./server.ts")],
      ["server.mts", module("server.mts")],
      ["../a/server.js#admin", module("../a/server.js", "admin")],
      ["/work/server", module("/work/server")],
      ["tools_server.ts", module("tools_server.ts")],
      ["https://host/mcp", url("https://host/mcp")],
      ["HTTP://host:80/x?y=1", url("http://host/x?y=1")],
      ["wss://host", url("wss://host/")],
      ["localhost:8000", url("http://localhost:8000/")],
      ["127.0.0.1:8000/mcp", url("http://127.0.0.1:8000/mcp")],
      ["[::1]:8000", url("http://[::1]:8000/")],
      ["tools.example:443/x", url("http://tools.example:443/x")],
      ["grpc://host:50051", { kind: "grpc", address: "http://host:50051" }],
      ["grpcs://host", { kind: "grpc", address: "https://host" }],
      ["stdio:npx -y server", program("npx", "-y", "server")],
      [`stdio:node "my server.js" --name 'a b' c\\ d`, program("node", "my server.js", "--name", "a b", "c d")],
      ["record:calls.ndjson", { kind: "recording", file: "calls.ndjson" }],
      ["weather", { kind: "configured", host: undefined, name: "weather" }],
      // A folder of this name exists.
      ["contract", { kind: "configured", host: undefined, name: "contract" }],
      ["cursor:weather", { kind: "configured", host: "cursor", name: "weather" }],
    ] as const
  ) {
    deepStrictEqual(parseTarget(text, here), expected, text);
  }
});

test("what is not a target is refused with the forms, before anything is opened", () => {
  for (
    const [text, message] of [
      ["ftp://host/x", /^"ftp:\/\/host\/x" is not a URL that begins with http/],
      ["http://", /is not a URL/],
      ["stdio:", /^The program is missing$/],
      [`stdio:node "open`, /^A quote " in .* is not closed$/],
      ["a:b:c", /^"a:b:c" is not a target$/],
      ["", /^"" is not a target$/],
    ] as const
  ) {
    throws(() => parseTarget(text, here), (thrown: CliError) => {
      match(thrown.message, message);
      return thrown.exitCode === 2;
    }, text);
  }
  for (const text of ["localhost:99999", "https://example.com:65536/mcp", "grpc://localhost:70000", "[::1]:99999"]) {
    throws(() => parseTarget(text, here), { exitCode: 2, message: /^The port \d+ of ".*" is above 65535$/ });
  }
  throws(() => takeTarget([], { program: undefined, host: { cwd: here } }), {
    message: "The target is missing",
    exitCode: 2,
  });
  throws(() => takeTarget(["tool"], { program: [], host: { cwd: here } }), { message: "The program is missing" });
});

test("a program after -- is the target in place of the first word", () => {
  const { target, rest } = takeTarget(["add", "a=1"], { program: ["npx", "server"], host: { cwd: here } });
  deepStrictEqual([target, rest], [program("npx", "server"), ["add", "a=1"]]);
});

test("a URL is asked on the wire that its path suggests first; without a path, at the default paths", () => {
  const wires = (text: string) => candidatesOf(new URL(text), undefined).map(({ wire }) => wire);
  strictEqual(wires("http://h/mcp")[0], "mcp");
  deepStrictEqual([wires("ws://h/mcp"), wires("wss://h")], [["websocket"], ["websocket"]]);
  strictEqual(wires("http://h/api/mcp-lite/v1")[0], "mcp-lite");
  strictEqual(wires("http://h/webtools/x/")[0], "webtools");
  strictEqual(wires("http://h/rest")[0], "rest");
  deepStrictEqual(
    candidatesOf(new URL("http://h"), undefined).map(({ url }) => url).slice(0, 2),
    ["http://h/mcp-lite/v1", "http://h/mcp"],
  );
  deepStrictEqual(candidatesOf(new URL("http://h"), "mcp"), [{ wire: "mcp", url: "http://h/mcp" }]);
  deepStrictEqual(candidatesOf(new URL("http://h/x"), "rest"), [{ wire: "rest", url: "http://h/x" }]);
});

test("headers: names in lower case, values trimmed, the token of an environment variable", () => {
  deepStrictEqual(headersOf({ header: ["X-A: b:c ", "x-d:"], bearerEnv: "TOKEN" }, { TOKEN: "t" }), {
    "x-a": "b:c",
    "x-d": "",
    authorization: "Bearer t",
  });
  for (const flags of [{ token: "a\nb" }, { bearerEnv: "X" }, { header: ["x: a\nb"] }]) {
    throws(() => headersOf(flags, { X: "a\r\nb" }), { exitCode: 2, message: /^The value of .* has a line break/ });
  }
  throws(() => headersOf({ bearerEnv: "NONE" }, {}), {
    message: "The environment variable NONE of --bearer-env is not set",
  });
});

test("durations have a unit, or are seconds", () => {
  deepStrictEqual(["500ms", "30s", "2m", "1h", "1.5", "7"].map(parseDuration), [
    500,
    30_000,
    120_000,
    3_600_000,
    1500,
    7000,
  ]);
  for (const text of ["", "0s", "-1s", "5d", "soon", "1e3"]) throws(() => parseDuration(text), TypeError, text);
});

test("a principal has the scopes of the flags; without flags there is no principal, and every scope is granted", () => {
  strictEqual(principalOf({}), undefined);
  deepStrictEqual(principalOf({ principal: "ada" }), { id: "ada", scopes: [] });
  deepStrictEqual(principalOf({ scopes: ["a", " b", ""] }), { id: "local", scopes: ["a", "b"] });
});

test("words are split as a shell splits them, without expansions", () => {
  deepStrictEqual(splitWords(`a  "b c"d 'e"f' g\\ h "\\"i\\\\" $HOME *`), [
    "a",
    "b cd",
    'e"f',
    "g h",
    '"i\\',
    "$HOME",
    "*",
  ]);
  deepStrictEqual(splitWords(""), []);
  deepStrictEqual(splitWords(`""`), [""]);
});
