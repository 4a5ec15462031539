/** The tools of the servers that tests stop, starve and flood: they print their events. */
import process from "node:process";
import { defineTool, type Logger } from "../../mod.ts";

/** Waits. */
export const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Writes a line. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints masked errors: tests assert that callers cannot cause any. */
export const logger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error: (message, fields) => print(`ERROR ${message} ${String(fields?.["error"] ?? "")}`),
};

const piece = "x".repeat(65_536);
let flooded = 0;

/** The tools. */
export const tools = [
  defineTool("echo").describe("Give back what came").handle((input) => input),
  defineTool("nap").describe("Answer late, whatever happens").handle(async ({ ms }) => {
    print("nap began");
    await delay(Number(ms));
    print("nap ended");
    return "rested";
  }),
  defineTool("late").describe("Give back many letters, late").handle(async ({ ms, length }) => {
    print("late began");
    await delay(Number(ms));
    return "x".repeat(Number(length));
  }),
  defineTool("big").describe("Give back many letters").handle(({ length }) => "x".repeat(Number(length))),
  defineTool("count").describe("Stream numbers, at once").handle(async function* ({ to }) {
    for (let at = 1; at <= Number(to); at++) yield at;
    return Number(to);
  }),
  defineTool("watch").describe("Wait until the caller has gone").handle(async (_, ctx) => {
    print("watch began");
    await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
    print("watch aborted");
  }),
  defineTool("drip").describe("Stream, slowly and for ever").handle(async function* (_, ctx) {
    ctx.signal.addEventListener("abort", () => print("drip aborted"));
    try {
      for (let count = 0;; count++) {
        yield count;
        await delay(50);
      }
    } finally {
      print("drip ended");
    }
  }),
  defineTool("quiet").describe("Say a word, be quiet, say another").timeout(60_000).handle(async function* ({ ms }) {
    yield "before";
    await delay(Number(ms));
    yield "after";
  }),
  defineTool("flood").describe("Stream as fast as the reader takes it").handle(async function* () {
    try {
      for (flooded = 0; flooded < 16_384; flooded++) yield piece;
    } finally {
      print("flood ended");
    }
  }),
  defineTool("flooded").describe("How much was streamed").handle(() => ({
    pieces: flooded,
    rss: process.memoryUsage.rss(),
  })),
] as const;
