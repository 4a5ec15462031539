/** `toolwire pin <url>`: downloads a webtool's metadata for review and for `webtoolsTransport(url, { pin })`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { describeChanges, fetchWebtool, type PinnedWebtool } from "../wires/webtools/client/metadata.ts";
import type { WebtoolMetadata } from "../wires/webtools/messages/metadata.ts";
import { escapeControls } from "../internal/text.ts";
import { type Command, fail, misused } from "./command.ts";
import process from "node:process";

export const pin: Command = {
  usage: "toolwire pin <url> [--version <version>] [--out <file>]",
  about:
    "Fetches a webtool's metadata, to be looked at and kept; with --out, says what has changed since the last time",
  async run(args) {
    const request = parse(args);
    if (request === undefined) return misused(this, args);
    const { url, version, out } = request;
    try {
      const webtool = await fetchWebtool(url, { version });
      return out === undefined ? print(webtool) : write(webtool, out);
    } catch (thrown) {
      return fail(escapeControls(`Cannot pin ${url}: ${reasonOf(thrown)}`), 1);
    }
  },
};

function parse(args: readonly string[]) {
  try {
    const options = { version: { type: "string" }, out: { type: "string" } } as const;
    const { values: { version, out }, positionals: [url, ...rest] } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
    });
    return url === undefined || rest.length > 0 ? undefined : { url, version, out };
  } catch {
    return undefined;
  }
}

function print({ metadata, digest }: PinnedWebtool): number {
  process.stdout.write(format(metadata));
  process.stderr.write(`${nameOf(metadata)}, digest ${digest}\n`);
  return 0;
}

/** Writes the pin. If there was one, prints the differences. */
function write({ metadata, digest }: PinnedWebtool, out: string): number {
  const before = existsSync(out) ? JSON.parse(readFileSync(out, "utf8")) as WebtoolMetadata : undefined;
  writeFileSync(out, format(metadata));
  process.stderr.write(`${nameOf(metadata)}, digest ${digest}: written to ${out}\n`);
  for (const change of before === undefined ? [] : describeChanges(before, metadata)) {
    process.stderr.write(`  ${escapeControls(change)}\n`);
  }
  return 0;
}

function format(metadata: WebtoolMetadata): string {
  return `${escapeControls(JSON.stringify(metadata, undefined, 2))}\n`;
}

function nameOf({ name, version }: WebtoolMetadata): string {
  return escapeControls(`${name} ${version}`.replaceAll("\n", " "));
}

/** Formats an error with its causes. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message;
}
