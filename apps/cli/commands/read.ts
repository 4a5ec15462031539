/** `toolwire read <target> <uri>`: prints the contents of a resource. */
import { Buffer } from "node:buffer";
import { formatResource } from "../calls/answer_text.ts";
import { openForCalls } from "../calls/with_calls.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { writeOut } from "../files/write_out.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { requestLimits, requireMcp } from "../targets/mcp_features.ts";
import { takeTarget } from "../targets/target.ts";
import { printableLine } from "../terminal/terminal.ts";
import type { McpResourceContents } from "../../../src/wires/mcp/client/types.ts";

interface ReadFlags extends TargetFlags {
  readonly json?: boolean;
  readonly out?: string;
}

export const readCommand: CliCommand = defineCommand<ReadFlags>({
  usage: "<target> <uri> [--out <file>] [--json]",
  about:
    "Reads a resource and prints its text. Binary contents are written with --out, or printed as base64 with --json.",
  examples: [
    ["toolwire read ./server.ts docs://guide", "The text of a resource"],
    ["toolwire read https://example.com/mcp logo://png --out logo.png", "The bytes of a resource"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      out: { kind: "parsed", parse: String, optional: true, placeholder: "file", brief: "File to write" },
      json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
    },
    positional: { kind: "array", parameter: { brief: "Target and URI", parse: String, placeholder: "words" } },
  },
  async run(context, flags, ...words) {
    const { target, rest: [uri, ...others] } = takeTarget(words, context);
    if (uri === undefined) {
      throw new CliError(EXIT.usage, "The URI of the resource is missing", {
        hint: "toolwire list <target> --resources has them",
      });
    }
    if (others[0] !== undefined) {
      throw new CliError(EXIT.usage, `There is one argument too many: ${JSON.stringify(others[0])}`);
    }
    const connection = await openForCalls(target, flags, context);
    try {
      const mcp = await requireMcp(connection);
      await print(await mcp.resources.read(uri, requestLimits(flags, context.interruption())), flags, context);
    } finally {
      await connection.close();
    }
  },
});

async function print(
  contents: readonly McpResourceContents[],
  { json, out }: ReadFlags,
  context: CliContext,
): Promise<void> {
  const { terminal } = context;
  if (out !== undefined) {
    const { link } = await writeOut(out, Buffer.concat(contents.map(bytesOf)), context);
    return terminal.note(`Written to ${printableLine(out)}${printableLine(link)}`);
  }
  if (json === true) return terminal.printJson({ contents });
  for (const one of contents) {
    const text = formatResource(one);
    terminal.write(terminal.foreign(text.endsWith("\n") ? text : `${text}\n`));
  }
}

function bytesOf({ text, blob }: McpResourceContents): Buffer {
  return typeof blob === "string" ? Buffer.from(blob, "base64") : Buffer.from(text ?? "");
}
