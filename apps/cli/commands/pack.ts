/** `toolwire pack <module>`: an `.mcpb` bundle, which hosts install by a double click. */
import { resolve } from "node:path";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { EXIT } from "../exit_codes.ts";
import { writeOut } from "../files/write_out.ts";
import { parsePackageVariable, throwPackaging, VARIABLE_FLAG, variableEnv } from "../packaging/package_flags.ts";
import { parseTarget } from "../targets/target.ts";
import { packBundle } from "../../../src/integrations/packaging/pack_bundle.ts";

interface PackFlags {
  readonly out?: string;
  readonly env?: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export const packCommand: CliCommand = defineCommand<PackFlags, [module: string]>({
  usage: "<module> [--out <file>] [--env NAME[=default]] [--dry-run] [--json]",
  about:
    "Packs the server of a module with all of its packages as an .mcpb bundle, which Claude Desktop and other hosts install by a double " +
    "click. Name, version, description, author and licence are those of package.json; the tools are those of the packed server, which " +
    "is started once. Needs esbuild in the project.",
  examples: [
    ["toolwire pack ./server.ts", "Write weather-1.0.0.mcpb"],
    [
      "toolwire pack ./server.ts --env API_KEY --env LEVEL=info",
      "The host asks for API_KEY, which stays secret, and for LEVEL",
    ],
    ["toolwire pack ./server.ts --dry-run --json", "Print the manifest, and write nothing"],
  ],
  parameters: {
    flags: {
      out: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "file",
        brief: "File. Default: name-version.mcpb",
      },
      env: VARIABLE_FLAG,
      dryRun: { kind: "boolean", optional: true, brief: "Pack and start the server, and write nothing" },
      json: { kind: "boolean", optional: true, brief: "One JSON object with the manifest on standard output" },
    },
    positional: {
      kind: "tuple",
      parameters: [{ brief: "Module, or module#export", parse: String, placeholder: "module" }],
    },
  },
  async run(context, flags, module) {
    const { host, terminal } = context;
    const variables = (flags.env ?? []).map(parsePackageVariable);
    const source = splitModule(module, host.cwd);
    const { fileName, bytes, manifest } = await packBundle({
      ...source,
      variables,
      env: variableEnv(variables, host.env),
    })
      .catch(throwPackaging);
    const file = resolve(host.cwd, flags.out ?? fileName);
    if (flags.dryRun !== true) {
      // The default name is of package.json, and a bundle can be made again.
      const within = flags.out === undefined ? host.cwd : undefined;
      await writeOut(file, bytes, context, { within, isDisposable: isBundle });
    }
    const size = `${(bytes.byteLength / 1_000).toFixed(0)} kB, ${manifest.tools.length} tools`;
    terminal.note(flags.dryRun === true ? `${fileName}: ${size}; not written` : `${file}: ${size}`);
    if (flags.json === true) {
      terminal.printJson({ file, bytes: bytes.byteLength, written: flags.dryRun !== true, manifest });
    }
  },
});

/** Whether bytes are an archive that begins with a manifest. */
function isBundle(bytes: Uint8Array): boolean {
  const begin = new TextDecoder("latin1").decode(bytes.subarray(0, 43));
  return begin.startsWith("PK\x03\x04") && begin.slice(30) === "manifest.json";
}

/** `./server.ts#admin`, as options of `packBundle()`. @throws {CliError} If it is not a module. */
function splitModule(text: string, cwd: string): { readonly module: string; readonly exportName?: string } {
  const target = parseTarget(text, cwd);
  if (target.kind !== "module") {
    throw new CliError(EXIT.usage, `${JSON.stringify(text)} is not a module such as ./server.ts`);
  }
  const { file, exportName } = target;
  return { module: resolve(cwd, file), ...(exportName !== undefined && { exportName }) };
}
