/** The argument form over many schemas, through Chromium and a server: only what a person edits changes. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { after } from "node:test";
import type { Json } from "../../apps/console/json_schema.ts";
import { createServer, defineTool, mcp } from "../../mod.ts";
import { jsonSchema } from "../../src/entries/json_schema.ts";
import type { AnyTool } from "../../src/core/tool/definition.ts";
import { consolePage } from "../../src/entries/console.ts";
import { findProgram, testWith } from "../serve/programs.ts";
import { closeBrowser, withPage } from "./browser_page.ts";
import { PAGE_KEY } from "./page_server.ts";
import { DEFS, MEMBERS } from "./schemas.ts";

after(closeBrowser);

/** One value in one form. */
interface Case {
  readonly schema: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
}

/** What the page had after each step. */
interface Steps {
  /** JSON view before an edit. */
  readonly opened: unknown;
  /** JSON view after one field was edited. */
  readonly edited: unknown;
  readonly answer: unknown;
  /** JSON view after the answer was opened as arguments. */
  readonly back: unknown;
}

/** A tool that returns its arguments; `undefined` if the definition refuses the schema. */
function echoOf(name: string, member: unknown, received: unknown[]): AnyTool | undefined {
  // A definition refuses references that lead nowhere, though no member has them.
  const $defs = Object.fromEntries(Object.entries(DEFS).filter(([key]) => JSON.stringify(member).includes(key)));
  const schema = { type: "object", properties: { m: member, note: { type: "string" } }, $defs };
  try {
    return defineTool(name).describe("Return the arguments").input(jsonSchema(schema))
      .handle((args) => {
        received.push(args);
        return args;
      });
  } catch {
    return undefined;
  }
}

/** Runs in the page: all cases, one after the other. */
async function driveForms(cases: readonly Case[]): Promise<readonly Steps[]> {
  const find = <Kind extends HTMLElement>(selector: string) => document.querySelector<Kind>(selector);
  const until = async <Value>(what: string, look: () => Value | null | undefined | false): Promise<Value> => {
    for (let count = 0; count < 100_000; count++) {
      const found = look();
      if (found) return found;
      // Timers are slower when they are nested.
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = resolve;
        port2.postMessage(0);
      });
    }
    throw new Error(`${what}: ${find("main")?.innerText.slice(-1_000)}`);
  };
  const button = (name: string) =>
    [...document.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith(name));
  const press = async (name: string) => (await until(name, () => button(name))).click();
  const noteField = () => find<HTMLTextAreaElement>("textarea[aria-label=note]");
  const open = async ({ tool }: Case, args: unknown, note: string) => {
    const bytes = new TextEncoder().encode(JSON.stringify(args));
    location.hash = `#/tools/${tool}?args=${encodeURIComponent(btoa(String.fromCharCode(...bytes)))}`;
    await until(`${tool} opens`, () => find("h1")?.textContent === tool && noteField()?.value === note);
  };
  const readJson = async (): Promise<unknown> => {
    await press("JSON");
    const view = await until("JSON", () => find<HTMLTextAreaElement>("textarea[aria-label='arguments as JSON']"));
    const text = view.value;
    await press("Form");
    await until("form", noteField);
    return JSON.parse(text);
  };
  const run = async (one: Case): Promise<Steps> => {
    await open(one, { ...one.args, note: "opened" }, "opened");
    const opened = await readJson();
    const note = await until("note", noteField);
    note.value = "edited";
    note.dispatchEvent(new InputEvent("input", { bubbles: true }));
    const edited = await readJson();
    await press("Send");
    const shown = await until("answer", () => button("Send") && find("pre.value"));
    const answer = JSON.parse(shown.textContent) as { note: string };
    await open(one, { note: "other" }, "other");
    await open(one, answer, "edited");
    return { opened, edited, answer, back: await readJson() };
  };
  const all: Steps[] = [];
  for (const one of cases) all.push(await run(one));
  return all;
}

testWith(
  "console: values of 50 schemas go form, JSON, server, form without a change",
  [findProgram("chromium")],
  async (
    chromium,
  ) => {
    const received: unknown[] = [];
    const tools = MEMBERS.map(([, member], index) => echoOf(`m${index}`, member, received));
    const cases = MEMBERS.flatMap(([schema, , values], index): Case[] =>
      tools[index] === undefined
        ? []
        : values.slice(0, 2).map((value) => ({ schema, tool: `m${index}`, args: { m: value } }))
    );
    ok(new Set(cases.map(({ tool }) => tool)).size >= 45, "almost all schemas can be defined");
    const server = createServer({
      tools: tools.filter((tool) => tool !== undefined),
      wires: [mcp(), consolePage({ key: PAGE_KEY })],
      logger: false,
    });
    await withPage({ server, chromium }, async ({ page, open }) => {
      await open("");
      await page.locator("nav.list a").first().waitFor();
      const steps = await page.evaluate(driveForms, cases as never);
      strictEqual(received.length, cases.length);
      cases.forEach(({ schema, args }, index) => {
        const sent = JSON.parse(JSON.stringify({ ...args, note: "edited" }));
        const expected = { opened: { ...sent, note: "opened" }, edited: sent, answer: sent, back: sent };
        deepStrictEqual(steps[index], expected, schema);
        deepStrictEqual(received[index], sent, schema);
      });
    });
  },
);
