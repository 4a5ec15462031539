/** `toolwire inspect <target>`: the console page for any server, through a gateway on this machine. */
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { CleanUp, releasing } from "../../../src/internal/clean_up.ts";
import { listen, PORT_FLAG } from "../record/serve_proxy.ts";
import type { TargetConnection } from "../targets/connection.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { openTarget } from "../targets/open.ts";
import { takeTarget } from "../targets/target.ts";
import { terminated } from "../terminal/process.ts";
import { printableLine } from "../terminal/terminal.ts";

interface InspectFlags extends TargetFlags {
  readonly port?: number;
  readonly open?: boolean;
}

export const inspectCommand: CliCommand = defineCommand<InspectFlags>({
  usage: "<target> [--open] [--port <port>]",
  about:
    "Opens the console page for a server of any origin: its tools with forms, calls over each wire with their bytes, the calls of the " +
    "page, and what the list costs. The program serves the page on this machine and passes the calls on. The printed link works once: " +
    "the tab that opened it keeps access until the program ends. Ctrl+C ends it.",
  examples: [
    ["toolwire inspect https://example.com/mcp --bearer-env TOKEN", "A remote server"],
    ["toolwire inspect --open -- npx -y @modelcontextprotocol/server-everything", "A program, in the browser at once"],
    ["toolwire inspect ./server.ts", "A module"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      open: { kind: "boolean", optional: true, brief: "Open the link in the browser", withNegated: false },
      port: PORT_FLAG,
    },
    positional: { kind: "array", parameter: { brief: "Target", parse: String, placeholder: "target" }, maximum: 1 },
  },
  async run(context, flags, ...words) {
    const { target } = takeTarget(words, context);
    const connection = await openTarget(target, flags, context, { signal: context.interruption(), isQuiet: true });
    try {
      const tools = await connection.tools();
      const text = targetText(words[0] ?? `stdio:${quoteWords(context.program ?? [])}`, connection);
      await inspect(connection, text, tools.length, flags, context);
    } finally {
      await connection.close();
    }
  },
});

/** Serves the page until Ctrl+C. */
async function inspect(
  connection: TargetConnection,
  target: string,
  tools: number,
  { port = 0, open }: InspectFlags,
  { terminal, interruption }: CliContext,
): Promise<void> {
  const { createInspector } = await import("../inspect/inspector.ts");
  const signal = AbortSignal.any([interruption(), terminated()]);
  const { server, fragment } = await createInspector(connection, target, (line) => terminal.note(line));
  const listening = await listen(server, port);
  await releasing(async () => {
    const { name, version } = server.info;
    const link = `${listening.url}/console${fragment}`;
    terminal.note(`${printableLine(`${name} ${version}`)}: ${tools} tools at ${printableLine(connection.label)}`);
    terminal.print(link);
    terminal.note(terminal.styleNote("dim", "The link works once. Ctrl+C ends the program"));
    if (open === true) await (await import("../terminal/open_link.ts")).openLink(link);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve());
    });
  }, async () => {
    const closing = new CleanUp();
    await closing.wait(() => listening.close());
    await closing.wait(() => server.close(0));
    closing.finish("Cannot close the page completely");
  });
}

/** The endpoint that was found, if it is one of MCP: copied calls are for other clients, too. */
function targetText(written: string, { wire, url }: TargetConnection): string {
  return wire === "mcp" && url !== undefined ? url : written;
}

/** Words as a target has them after `stdio:`. */
function quoteWords(words: readonly string[]): string {
  return words.map((word) => /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}
