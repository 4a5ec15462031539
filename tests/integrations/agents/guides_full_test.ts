/** The programs of docs/agent-frameworks.md run as they are written there, against scripted models that their packages find by variables. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadExample, type Script, skip } from "./frameworks.ts";

interface Service {
  readonly url: string;
  close(): Promise<void>;
}

type Start = (script: Script, model?: string) => Promise<Service>;

const folder = new URL("../../../examples/agents/guides/", import.meta.url);
const bun = fileURLToPath(new URL("../../../node_modules/.bin/bun", import.meta.url));
const page = readFileSync(new URL("../../../docs/agent-frameworks.md", import.meta.url), "utf8");

const FIND: Script = [[{ name: "find_trains", args: { from: "Berlin", to: "Paris" } }]];
const CANCEL: Script = [[{ name: "cancel_trip", args: { trip: "42" } }]];
const FOUND = ["Berlin 06:00, Paris 12:00"];

/** Each program with its model, the variables that name it, and what it prints. */
const GUIDES: Readonly<
  Record<string, {
    readonly script: Script;
    readonly start: readonly [file: string, exported: string, model?: string];
    readonly env: (url: string) => Readonly<Record<string, string>>;
    readonly prints: readonly string[];
  }>
> = {
  "ai_sdk.ts": { script: FIND, start: anthropic(), env: anthropicAt("/v1"), prints: FOUND },
  "langchain.ts": { script: FIND, start: anthropic(), env: anthropicAt(""), prints: FOUND },
  "langgraph.ts": { script: CANCEL, start: anthropic(), env: anthropicAt(""), prints: ["1", "Cancelled 42"] },
  "openai_agents.ts": {
    script: CANCEL,
    start: ["openai.ts", "startOpenAi"],
    env: (url) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: "none", OPENAI_AGENTS_DISABLE_TRACING: "1" }),
    prints: ["Cancelled 42"],
  },
  "adk.ts": {
    script: FIND,
    start: ["google.ts", "startGoogle", "gemini-3-pro"],
    env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" }),
    prints: FOUND,
  },
  "mastra.ts": { script: CANCEL, start: anthropic(), env: anthropicAt("/v1"), prints: ["suspended", "Cancelled 42"] },
  "tanstack.ts": { script: FIND, start: anthropic(), env: anthropicAt(""), prints: FOUND },
};

function anthropic(): readonly [string, string] {
  return ["anthropic.ts", "startAnthropic"];
}

function anthropicAt(path: string): (url: string) => Readonly<Record<string, string>> {
  return (url) => ({ ANTHROPIC_BASE_URL: `${url}${path}`, ANTHROPIC_API_KEY: "none" });
}

describe("docs/agent-frameworks.md", { skip }, () => {
  for (const [file, { script, start: [service, exported, model], env, prints }] of Object.entries(GUIDES)) {
    test(`runs ${file}`, async () => {
      const start = await loadExample(`scripted/${service}`, exported) as Start;
      const { url, close } = await start([...script], model);
      const program = spawn(bun, [fileURLToPath(new URL(file, folder))], {
        env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env(url) },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const [printed, failed] = await Promise.all([text(program.stdout), text(program.stderr), once(program, "close")]);
      // ADK logs to the standard output.
      const lines = printed.trim().split("\n").filter((line) => !line.includes("[ADK]"));
      deepStrictEqual(lines, prints, failed);
      await close();
    });
  }

  test("has each program of the folder", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts"));
    deepStrictEqual(files.filter((file) => file !== "tools.ts").sort(), Object.keys(GUIDES).sort());
    for (const file of files) {
      strictEqual(page.includes(`\`\`\`ts fragment examples/agents/guides/${file}\n`), true, file);
    }
  });
});
