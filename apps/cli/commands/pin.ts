/** `toolwire pin <url>`: downloads a webtool's metadata for review and for `webtoolsTransport(url, { pin })`. */
import { resolve } from "node:path";
import { omitUndefined } from "../../../src/internal/json.ts";
import { escapeControls } from "../../../src/internal/text.ts";
import { describeChanges, fetchWebtool, type PinnedWebtool } from "../../../src/wires/webtools/client/metadata.ts";
import type { WebtoolMetadata } from "../../../src/wires/webtools/messages/metadata.ts";
import { CliError, toReportedError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { readFileBytes } from "../files/place.ts";
import { writeOut } from "../files/write_out.ts";
import { headersOf, HTTP_FLAGS, type HttpFlags } from "../targets/flags.ts";
import { printableLine } from "../terminal/terminal.ts";

interface PinFlags extends HttpFlags {
  readonly version?: string;
  readonly out?: string;
}

export const pinCommand: CliCommand = defineCommand<PinFlags, [url: string]>({
  usage: "<url> [--version <version>] [--out <file>]",
  about:
    "Fetches a webtool's metadata, for review and for the option `pin` of clients. With --out, prints what has changed since the " +
    "last time.",
  examples: [
    ["toolwire pin https://example.com/webtools/weather", "Print the metadata, and its digest"],
    ["toolwire pin https://example.com/webtools/weather --out weather.json", "Write it, or compare it with the file"],
  ],
  parameters: {
    flags: {
      ...HTTP_FLAGS,
      version: { kind: "parsed", parse: String, optional: true, brief: "Version of the webtool. Default: the latest" },
      out: { kind: "parsed", parse: String, optional: true, placeholder: "file", brief: "File to write" },
    },
    positional: { kind: "tuple", parameters: [{ brief: "URL of the webtool", parse: String, placeholder: "url" }] },
  },
  async run(context, flags, url) {
    const webtool = await fetchPin(url, flags, context);
    if (flags.out === undefined) print(webtool, context);
    else await write(webtool, flags.out, context);
  },
});

async function fetchPin(url: string, flags: PinFlags, { host }: CliContext): Promise<PinnedWebtool> {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new CliError(EXIT.usage, `Cannot pin ${url}: it is not a URL that begins with http:// or https://`);
  }
  try {
    const { version } = flags;
    return await fetchWebtool(url, { headers: headersOf(flags, host.env), ...omitUndefined({ version }) });
  } catch (cause) {
    const { exitCode, code, message, data } = toReportedError(cause);
    throw new CliError(exitCode, `Cannot pin ${url}: ${message}`, { code, data, cause });
  }
}

function print({ metadata, digest }: PinnedWebtool, { terminal }: CliContext): void {
  terminal.write(format(metadata));
  terminal.note(`${nameOf(metadata)}, digest ${digest}`);
}

/** Writes the pin. If there was one, prints the differences. */
async function write({ metadata, digest }: PinnedWebtool, out: string, context: CliContext): Promise<void> {
  const { terminal, host } = context;
  const before = readPin(resolve(host.cwd, out));
  const { link } = await writeOut(out, format(metadata), context);
  terminal.note(`${nameOf(metadata)}, digest ${digest}: written to ${out}${printableLine(link)}`);
  for (const change of before === undefined ? [] : describeChanges(before, metadata)) {
    terminal.note(`  ${escapeControls(change)}`);
  }
}

/** @throws {CliError} If the file is not a pin: it would be replaced. */
function readPin(file: string): WebtoolMetadata | undefined {
  const bytes = readFileBytes(file);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebtoolMetadata;
  } catch (cause) {
    throw new CliError(EXIT.usage, `Cannot write the file ${file}: it exists, and is not JSON of a webtool`, {
      code: "file",
      cause,
    });
  }
}

function format(metadata: WebtoolMetadata): string {
  return `${escapeControls(JSON.stringify(metadata, undefined, 2))}\n`;
}

function nameOf({ name, version }: WebtoolMetadata): string {
  return printableLine(`${name} ${version}`);
}
