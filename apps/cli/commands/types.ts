/** `toolwire types <target>`: the contract of a server, as types for `createClient<Contract>(…)`. */
import { type CliCommand, defineCommand } from "../command.ts";
import { writeContract } from "../contract/contract.ts";
import { assertComparable, OUT_FLAGS, type OutFlags, putText } from "../contract/out_file.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { assertNoMore, readSource } from "../targets/sources.ts";
import { printableLine } from "../terminal/terminal.ts";

type TypesFlags = TargetFlags & OutFlags;

export const typesCommand: CliCommand = defineCommand<TypesFlags>({
  usage: "<target> [--out <file>] [--check] [--json]",
  about:
    "Writes the types of a server's tools, resources and prompts as one file, for createClient<Contract>(…). The text depends on the " +
    "lists alone. With --check the file is compared and not written; a difference ends with exit code 1. The target may also be a " +
    "file or URL that ends in .json: an OpenAPI document, or the output of toolwire list --json.",
  examples: [
    ["toolwire types https://example.com/mcp -o contract.ts", "Write the contract"],
    ["toolwire types https://example.com/mcp -o contract.ts --check", "In CI: has the server changed?"],
    ["toolwire types ./openapi.json -o api.ts", "Types of the tools that toolsFromOpenApi() makes"],
  ],
  takesProgram: true,
  parameters: {
    aliases: { o: "out" },
    flags: {
      ...TARGET_FLAGS,
      ...OUT_FLAGS,
    },
    positional: { kind: "array", parameter: { brief: "Target", parse: String, placeholder: "target" } },
  },
  async run(context, flags, ...words) {
    assertComparable(flags, "contract.ts");
    const { source, rest } = await readSource(words, flags, context);
    assertNoMore(rest);
    const contract = await writeContract(source);
    for (const name of contract.leftOut) {
      context.terminal.note(`The tool ${printableLine(name)} has no typed function: call it by client.$.call()`);
    }
    return await putText({ ...contract }, flags, context, `, digest ${contract.digest}`);
  },
});
