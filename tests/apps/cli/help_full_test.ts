/** What `toolwire` says of itself, and to whom it is misspelt. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { run } from "./run.ts";

/** Each is a process, and a machine may be busy. */
const LIMIT = { timeout: 60_000 };

const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

test("toolwire --help, -h and help print the usage, and succeed", LIMIT, async () => {
  const [help, ...others] = await Promise.all([run("--help"), run("-h"), run("help")]);
  for (const command of ["list", "stdio", "pin", "help"]) match(help.out, new RegExp(`^  ${command} {2,}\\S`, "m"));
  match(help.out, /toolwire --version/);
  match(help.out, /^Usage: toolwire <command>\n/);
  strictEqual(help.errors, "");
  for (const other of [help, ...others]) deepStrictEqual(other, { code: 0, out: help.out, errors: "" });
});

test("toolwire <command> --help prints the usage of that one", LIMIT, async () => {
  for (const args of [["pin", "--help"], ["pin", "-h"], ["help", "pin"], ["--help", "pin"]]) {
    const { code, out } = await run(...args);
    strictEqual(code, 0, args.join(" "));
    match(out, /^Usage:\n {2}toolwire pin <url> \[--version <version>\] \[--out <file>\]\n/);
    match(out, /\nExamples\n {2}toolwire pin https:/);
    ok(!out.includes("stdio"));
  }
});

test("toolwire --version prints the version of the package", LIMIT, async () => {
  deepStrictEqual(await run("--version"), { code: 0, out: `toolwire ${version}\n`, errors: "" });
});

test("toolwire with no command, or one that is not there, says how it is called", LIMIT, async () => {
  for (
    const [args, words] of [
      [[], /^Usage: toolwire <command>/],
      [["studio"], /^There is no command "studio": did you mean "stdio"\?\n\nUsage: /],
      [["pinn", "http://127.0.0.1"], /did you mean "pin"\?/],
      [["help", "studio"], /did you mean "stdio"\?/],
      [["--verbose"], /^There is no command "--verbose"/],
      [["constructor"], /^There is no command "constructor"/],
      [["\u001b[2J"], /^There is no command "\\u001b\[2J"/],
    ] as const
  ) {
    const { code, out, errors } = await run(...args);
    strictEqual(code, 2, errors);
    strictEqual(out, "");
    match(errors, words);
  }
});

test("toolwire stdio says which file it looked for, and what it misses in one", LIMIT, async () => {
  const gone = await run("stdio", "no/such/server.ts");
  strictEqual(gone.code, 2);
  match(gone.errors, /^Cannot load no\/such\/server\.ts: there is no file \/.*\/no\/such\/server\.ts\n$/);
  const other = await run("stdio", "tests/apps/cli/run.ts");
  strictEqual(other.code, 2);
  match(other.errors, /^Cannot load tests\/apps\/cli\/run\.ts: it does not export a server/);
  for (
    const [args, problem] of [[[], "The argument <module> is missing"], [
      ["one.ts", "two.ts"],
      "There is one argument too many",
    ]] as const
  ) {
    const { code, errors } = await run("stdio", ...args);
    strictEqual(code, 2);
    ok(errors.startsWith(problem), errors);
    match(errors, /\nUsage: toolwire stdio <module> \[--principal <id>\]/);
  }
});

test("a command with an option that is not there, or without a value, says which", LIMIT, async () => {
  for (
    const [args, words] of [
      [
        ["stdio", "server.ts", "--principle", "ada"],
        /^There is no option "--principle": did you mean "--principal"\?\n\nUsage: toolwire stdio /,
      ],
      [["stdio", "server.ts", "--scope=docs:read"], /^There is no option "--scope": did you mean "--scopes"\?\n/],
      [["pin", "http://127.0.0.1", "--unlike"], /^There is no option "--unlike"\n\nUsage: toolwire pin /],
      [["stdio", "server.ts", "--principal"], /^The option --principal needs a value\n\nUsage: toolwire stdio /],
    ] as const
  ) {
    const { code, out, errors } = await run(...args);
    strictEqual(code, 2, errors);
    strictEqual(out, "");
    match(errors, words);
  }
});

test("toolwire pin names the address that it cannot reach", LIMIT, async () => {
  // A port that browsers, and so fetch, never connect to.
  const { code, errors } = await run("pin", "http://127.0.0.1:1/webtools/weather");
  strictEqual(code, 4);
  match(errors, /^Cannot pin http:\/\/127\.0\.0\.1:1\/webtools\/weather: Cannot reach the server \(GET http:/);
});
