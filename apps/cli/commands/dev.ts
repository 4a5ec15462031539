/** `toolwire dev <module>`: serves the server of a module and reloads it when a file changes. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { parsePort } from "../record/serve_proxy.ts";
import { parseTarget } from "../targets/target.ts";
import { pickPort } from "../dev/pick_port.ts";
import { startWatcher } from "../dev/watcher.ts";
import { DevSession } from "../dev/dev_session.ts";
import { terminated } from "../terminal/process.ts";

interface DevFlags {
  readonly port?: number;
  readonly wires?: readonly string[];
  readonly console: boolean;
}

export const devCommand: CliCommand = defineCommand<DevFlags, [module: string]>({
  usage: "<module> [--port <port>] [--wires <wire>,<wire>] [--no-console]",
  about:
    "Serves the server of a module on this machine and reloads it when a file changes. Prints the URL of each wire, a line for each " +
    "call, and errors of handlers with their stack, and the link of the console page. Tokens stay valid over a reload; work of promises in memory is lost.",
  examples: [
    ["toolwire dev ./server.ts", "Serve, and reload on change"],
    [
      "toolwire dev ./server.ts --port 9000 --wires mcp,mcp-lite,rest,connect",
      "On these wires, whatever the module has",
    ],
  ],
  parameters: {
    flags: {
      port: {
        kind: "parsed",
        parse: parsePort,
        optional: true,
        placeholder: "8000",
        brief: "Port. Default: 8000, or any free one",
      },
      wires: {
        kind: "parsed",
        parse: (text: string) => text.trim(),
        optional: true,
        variadic: ",",
        placeholder: "wire,wire",
        brief:
          "Wires: mcp, mcp-lite, rest, connect, openapi, health, or one of the server. Default: those of the server",
      },
      console: { kind: "boolean", default: true, brief: "Serve the console page, with a key in its link" },
    },
    positional: {
      kind: "tuple",
      parameters: [{ brief: "Module, or module#export", parse: String, placeholder: "module" }],
    },
  },
  async run({ terminal, host, interruption }: CliContext, { port, wires, console: hasConsole }, module) {
    const path = pathOf(module, host.cwd);
    const settings = {
      module,
      port: await pickPort(port),
      keys: `dev:${crypto.randomUUID()}${crypto.randomUUID()}`,
      colors: terminal.styleNote("red", "x") !== "x",
      ...(wires !== undefined && { wires }),
      ...(hasConsole && { consoleKey: crypto.randomUUID().replaceAll("-", "") }),
    };
    const signal = AbortSignal.any([interruption(), terminated()]);
    const start = () => startWatcher(settings, host.cwd);
    await new DevSession({ folder: dirname(path), terminal, start }).run(signal);
  },
});

/** Returns the absolute path of the module. Throws a `CliError` if there is no such file, since it could not be watched. */
function pathOf(module: string, cwd: string): string {
  const target = parseTarget(module, cwd);
  if (target.kind !== "module") {
    throw new CliError(EXIT.usage, `${JSON.stringify(module)} is not a module such as ./server.ts`);
  }
  const path = resolve(cwd, target.file);
  if (existsSync(path)) return path;
  throw new CliError(EXIT.usage, `Cannot load ${target.file}: there is no file ${path}`);
}
