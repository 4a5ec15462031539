/**
 * Commands against a server that wants to harm them: control sequences in every word, endless and huge answers, a hundred thousand tools,
 * redirects with credentials, and what fails once and then fails in another way.
 */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../temporary_folder.ts";
import { type Place, runHere } from "../run_here.ts";
import { ESCAPES, type Evil, startEvil, wordy } from "./evil_server.ts";

const LIMIT = { timeout: 120_000 };
const GOOD_TOOL = { name: "echo", description: "Echo", inputSchema: { type: "object" } };

/** What no command may print: line breaks alone are not control sequences. */
const CONTROLS = /(?!\n)[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u;

/** Sequences of the status line and the styles of the command itself, not text of a server. */
const OWN = new RegExp(`\u001b\\[(?:\\d+(?:;\\d+)*m|\\d*[AJKG]|\\?25[lh])|\\r`, "g");

/** Sequences that only the server has. */
const FOREIGN = ["\u001b]", "\u001b[2J"];

/** Runs a command that serves until it is interrupted, which it is as soon as its URL is printed; others end by themselves. */
async function run(place: Omit<Place, "onNote" | "onInterruptible">, ...args: readonly string[]) {
  let interrupt = (): void => {};
  let printed = "";
  return await runHere({
    ...place,
    onInterruptible: (given) => interrupt = given,
    onNote(text) {
      printed += text;
      if (/Ctrl\+C ends/.test(printed)) setTimeout(() => interrupt(), 0);
    },
  }, ...args);
}

const evilTool = {
  name: `evil${ESCAPES}`,
  title: ESCAPES,
  description: `Line one${ESCAPES}\nline two`,
  inputSchema: {
    type: "object",
    properties: { [ESCAPES]: { type: "string", description: ESCAPES } },
    required: [ESCAPES],
  },
  annotations: { title: ESCAPES },
};
const badNames = ["../../etc/passwd", "__proto__", "constructor", "-rf", "a\nb", ""].map((name) => ({
  ...GOOD_TOOL,
  name,
}));

for (
  const [name, ...args] of [
    ["list", "list"],
    ["list --json", "list", "--json"],
    ["call", "call", "URL", "echo"],
    ["call of an unknown tool", "call", "URL", "ecco"],
    ["record", "record", "URL", "--out", "calls.ndjson"],
    ["inspect", "inspect"],
    ["install", "install", "cursor"],
    ["types", "types", "URL", "--out", "contract.ts"],
    ["doctor", "doctor"],
    ["pin", "pin", "URL", "--out", "pins.json"],
    ["check", "check"],
  ] as const
) {
  test(
    `${name}: control sequences in every word of a server reach neither the terminal nor a file`,
    LIMIT,
    async () => {
      await using folder = await temporaryFolder();
      const answer = { content: [{ type: "text", text: ESCAPES }], isError: true };
      await using server = await startEvil(wordy(ESCAPES, [GOOD_TOOL, evilTool, ...badNames], answer));
      const words = args.includes("URL" as never)
        ? args.map((word) => (word as string) === "URL" ? server.url : word)
        : [...args, server.url];
      const { out, errors } = await run({ cwd: folder.path, isTTY: true }, ...words);
      const shown = (out + errors).replaceAll(OWN, "");
      ok(!CONTROLS.test(shown), `${JSON.stringify(CONTROLS.exec(shown)?.[0])} in ${JSON.stringify(shown)}`);
      for (const sequence of FOREIGN) ok(!(out + errors).includes(sequence), JSON.stringify(out + errors));
      for (const file of ["calls.ndjson", "contract.ts", "pins.json", ".cursor/mcp.json"]) {
        const path = join(folder.path, file);
        if (existsSync(path)) ok(!CONTROLS.test(readFileSync(path, "utf8").replaceAll("\t", "")), file);
      }
      ok(!existsSync(join(folder.path, "../etc")), "nothing is outside of the folder");
    },
  );
}

/** Writes pieces until the client has disconnected. */
function endless(head: Readonly<Record<string, string>>, piece: string): Evil {
  return (_, __, response) => {
    response.writeHead(200, head);
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  };
}

const JSON_HEAD = { "content-type": "application/json" };
const SSE_HEAD = { "content-type": "text/event-stream" };

/** Attacks that send much, and what the command says. */
const FLOODS: Readonly<Record<string, readonly [evil: Evil, errors: RegExp]>> = {
  "an endless JSON answer": [endless(JSON_HEAD, "[".repeat(65_536)), /larger than|too (?:large|deep)|nested|Not done/i],
  "an endless text": [endless(JSON_HEAD, `"${"x".repeat(65_536)}`), /larger than|too large|Not done/i],
  "an endless stream of comments": [
    endless(SSE_HEAD, `: ${"x".repeat(1_000)}\n\n`),
    /not answered|Not done|larger than/i,
  ],
  "an endless event": [endless(SSE_HEAD, `data: ${"x".repeat(65_536)}`), /larger than|too large|Not done/i],
  "an answer of 100 MB": [(_, __, response) => {
    response.writeHead(200, JSON_HEAD).end(`{"x":"${"y".repeat(100_000_000)}"}`);
  }, /larger than|too large|Not done/i],
};

/** Attacks that send little. */
const LIES: Readonly<Record<string, readonly [evil: Evil, errors: RegExp]>> = {
  "a page of HTML with scripts": [(_, __, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(`<script>${ESCAPES}</script>`);
  }, /./],
  "a status of 500 with escapes": [(_, __, response) => {
    response.writeHead(500, { "content-type": "text/plain" }).end(ESCAPES);
  }, /./],
  "a connection that is cut": [(_, request) => void request.socket.destroy(), /./],
  "an answer that is cut": [(_, request, response) => {
    response.writeHead(200, { ...JSON_HEAD, "content-length": "1000" });
    response.write("{", () => request.socket.destroy());
  }, /./],
  "JSON that is none": [(_, __, response) => void response.writeHead(200, JSON_HEAD).end("{nope"), /./],
  "a result of another kind": [() => ({ result: 7 }), /./],
  "an error without a code": [() => ({ error: { message: ESCAPES } }), /./],
};

const COMMANDS: readonly (readonly [command: string, ...more: readonly string[]])[] = [
  ["list"],
  ["record", "--out", "calls.ndjson"],
  ["inspect"],
  ["install", "cursor"],
];

for (const [attack, [evil, wanted]] of Object.entries({ ...FLOODS, ...LIES })) {
  for (const [command, ...more] of COMMANDS) {
    test(
      `${command}: ${attack}, and then another one, end with an error that is printable, and no file`,
      LIMIT,
      async () => {
        // What has failed once fails again in another way.
        const seconds = Object.hasOwn(FLOODS, attack) ? [evil] : Object.values(LIES).map(([other]) => other);
        for (const second of seconds) {
          await using folder = await temporaryFolder();
          let asked = 0;
          await using server = await startEvil((...given) => (asked++ === 0 ? evil : second)(...given));
          const words = command === "install"
            ? [command, ...more, server.url]
            : [command, server.url, ...more, "--timeout", "2s"];
          const { code, out, errors } = await run({ cwd: folder.path }, ...words);
          // A URL is written though nothing answers there: its server may be away. What is read of it is its name.
          if (command !== "install") ok(code !== 0, `${out}${errors}`);
          if (command !== "install" && second === evil) match(errors, wanted);
          ok(!CONTROLS.test(out + errors), JSON.stringify(out + errors));
          ok(errors.length < 5_000, `${errors.length} characters of errors`);
          ok(!/internal error|Cannot read properties|is not a function|at .*\.ts:\d+/.test(errors), errors);
          strictEqual(existsSync(join(folder.path, "calls.ndjson")), false);
        }
      },
    );
  }
}

test("a hundred thousand tools are refused or bounded, in time, by every command that lists", LIMIT, async () => {
  const tools = Array.from({ length: 100_000 }, (_, at) => ({ ...GOOD_TOOL, name: `tool_${at}` }));
  await using server = await startEvil(wordy("", tools));
  for (const [command, ...more] of COMMANDS) {
    await using folder = await temporaryFolder();
    const words = command === "install" ? [command, ...more, server.url] : [command, server.url, ...more];
    const { code, errors } = await run({ cwd: folder.path }, ...words);
    ok(code === 0 || /tools|list/.test(errors), `${command}: ${code} ${errors.slice(0, 300)}`);
    ok(errors.length < 20_000, `${command}: ${errors.length} characters`);
  }
});

test("a list whose cursor never ends is bounded", LIMIT, async () => {
  let page = 0;
  const base = wordy("");
  await using server = await startEvil((message, ...rest) => {
    if (message.method !== "tools/list") return base(message, ...rest);
    page++;
    return { result: { resultType: "complete", tools: [{ ...GOOD_TOOL, name: `t${page}` }], nextCursor: `c${page}` } };
  });
  for (const [command, ...more] of COMMANDS.slice(0, 3)) {
    page = 0;
    await using folder = await temporaryFolder();
    const { code, errors } = await run({ cwd: folder.path }, command, server.url, ...more, "--timeout", "20s");
    ok(page <= 20_000, `${page} pages`);
    ok(code === 0 || /page|cursor|tools|Not done|not answered/i.test(errors), `${code} ${errors}`);
  }
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect of ${status} gets no credentials of a command, nor a second request`, LIMIT, async () => {
    await using thief = await startEvil(wordy("", [GOOD_TOOL]));
    await using server = await startEvil((_, __, response) => {
      response.writeHead(status, { location: thief.url }).end();
    });
    for (const [command, ...more] of COMMANDS) {
      await using folder = await temporaryFolder();
      const url = command === "install" ? [...more, server.url] : [server.url, ...more];
      const place = { cwd: folder.path, env: { TOKEN: "s3-secret-token" } };
      const { errors, out } = await run(place, command, ...url, "--bearer-env", "TOKEN");
      ok(!(errors + out).includes("s3-secret-token"), errors);
    }
    deepStrictEqual(thief.asked, []);
  });
}
