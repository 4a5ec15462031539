/** `toolwire proto <target>`: the typed gRPC service of a server, as a `.proto` file. */
import { isPackage, packageOf } from "../../../src/wires/grpc/messages/typed/names.ts";
import { createTypedService } from "../../../src/wires/grpc/messages/typed/service.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import { assertComparable, OUT_FLAGS, type OutFlags, putText } from "../contract/out_file.ts";
import { writeProto } from "../contract/proto_text.ts";
import { EXIT } from "../exit_codes.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { assertNoMore, readSource, type Source } from "../targets/sources.ts";

interface ProtoFlags extends TargetFlags, OutFlags {
  readonly package?: string;
}

export const protoCommand: CliCommand = defineCommand<ProtoFlags>({
  usage: "<target> [--package <name>] [--out <file>] [--check] [--json]",
  about:
    "Writes the typed gRPC service of a server, as grpc({ typed: true }) serves it, for protoc and buf. The text depends on the " +
    "tools alone. With --check the file is compared and not written; a difference ends with exit code 1. The target may also be a " +
    "file or URL that ends in .json, as for toolwire types.",
  examples: [
    ["toolwire proto ./server.ts -o docs.proto", "Write the service"],
    ["toolwire proto ./server.ts -o docs.proto --check", "In CI: has a tool changed?"],
    ["toolwire proto http://localhost:8000 --package acme.docs.v1", "With the package of grpc({ typed: { package } })"],
  ],
  takesProgram: true,
  parameters: {
    aliases: { o: "out" },
    flags: {
      ...TARGET_FLAGS,
      package: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "name",
        brief: "Package of the service. Default: the name of the server in snake case",
      },
      ...OUT_FLAGS,
    },
    positional: { kind: "array", parameter: { brief: "Target", parse: String, placeholder: "target" } },
  },
  async run(context, flags, ...words) {
    assertComparable(flags, "docs.proto");
    const { source, rest } = await readSource(words, flags, context, flags.package === undefined);
    assertNoMore(rest);
    const service = createTypedService(source.tools, readPackage(flags, source));
    return await putText({ text: writeProto(service), service: service.typeName }, flags, context);
  },
});

function readPackage({ package: name }: ProtoFlags, { serverName, label }: Source): string {
  if (name === undefined && serverName !== undefined) return packageOf(serverName);
  if (name === undefined) {
    throw new CliError(EXIT.usage, `${label} does not say its name, which is the package of its service`, {
      hint: 'Name the package: --package acme.docs.v1, as in grpc({ typed: { package: "acme.docs.v1" } })',
    });
  }
  if (isPackage(name)) return name;
  throw new CliError(EXIT.usage, `${JSON.stringify(name)} is not the name of a package`, {
    hint: "A package is like acme.docs.v1, without the parts google, grpc and mcplite",
  });
}
