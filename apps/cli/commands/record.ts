/** `toolwire record <target> --out <file>`: a proxy in front of a server that writes each call into a file, without secrets. */
import { resolve } from "node:path";
import { CliError } from "../cli_error.ts";
import { releasing } from "../../../src/internal/clean_up.ts";
import { escapeControls } from "../../../src/internal/text.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { locateFile } from "../files/place.ts";
import { type LineFile, openLines } from "../files/write_file.ts";
import { PORT_FLAG, type ServeFlags } from "../record/serve_proxy.ts";
import type { TargetConnection } from "../targets/connection.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { openTarget } from "../targets/open.ts";
import { takeTarget } from "../targets/target.ts";
import { printableLine } from "../terminal/terminal.ts";
import { createProxy, infoOf } from "../record/proxy.ts";
import { createRecorder } from "../record/create_recorder.ts";
import { createRedactor } from "../../../src/core/redaction/redact.ts";
import { serveProxy } from "../record/serve_proxy.ts";
import { pretty } from "../../../src/entries/middleware.ts";

interface RecordFlags extends TargetFlags, ServeFlags {
  readonly out: string;
  readonly force?: boolean;
}

export const recordCommand: CliCommand = defineCommand<RecordFlags>({
  usage: "<target> --out <file> [--force] [--port <port>] [--stdio]",
  about:
    "Serves a target on this machine and writes each call that passes through into a file: arguments, pieces, progress, questions, " +
    "promises, answers and errors. Secrets are replaced before they are written. Ctrl+C ends it.",
  examples: [
    ["toolwire record ./server.ts --out calls.ndjson", "Record the calls of a module"],
    [
      "toolwire record https://example.com/mcp --bearer-env TOKEN -o calls.ndjson --port 9000",
      "In front of a remote server",
    ],
    ["toolwire record -o calls.ndjson --stdio -- npx -y some-server", "As the program that a host starts"],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      out: { kind: "parsed", parse: String, placeholder: "file", brief: "File of the recording" },
      force: { kind: "boolean", optional: true, brief: "Replace the file if it exists" },
      port: PORT_FLAG,
      stdio: { kind: "boolean", optional: true, brief: "Serve MCP over standard input and output" },
    },
    aliases: { o: "out" },
    positional: { kind: "array", parameter: { brief: "Target", parse: String, placeholder: "target" }, maximum: 1 },
  },
  async run(context, flags, ...words) {
    const { target } = takeTarget(words, context);
    const secrets = new Set<string>();
    const connection = await openTarget(target, flags, context, {
      signal: context.interruption(),
      onCredential: (value) => void secrets.add(value),
    });
    try {
      await connection.tools();
      await recordTarget(connection, secrets, flags, context);
    } finally {
      await connection.close();
    }
  },
});

/**
 * Serves a proxy in front of the target, and writes each call to the file until the command is interrupted.
 *
 * @param secrets Credentials for the target. They are replaced in all that is recorded, if they have 6 or more characters.
 */
async function recordTarget(
  connection: TargetConnection,
  secrets: ReadonlySet<string>,
  flags: RecordFlags,
  context: CliContext,
): Promise<void> {
  const { terminal } = context;
  const file = new RecordingFile(resolve(context.host.cwd, flags.out), flags);
  let calls = 0;
  const info = await infoOf(connection);
  await releasing(async () => {
    const proxy = await createProxy(connection.transport, {
      info,
      logger: pretty({ write: (line) => terminal.note(line), colors: terminal.styleNote("red", "x") !== "x" }),
      middleware: (tools) =>
        createRecorder({
          server: info,
          tools,
          redactor: createRedactor(secrets),
          // In JSON the escapes are equivalent, and the file may be shown in a terminal.
          write: (line) => file.write(escapeControls(line)),
          onCall: () => calls++,
          onFailure: (error) => file.fail(error, (line) => terminal.note(line)),
        }),
    });
    const open = () => file.open((line) => terminal.note(line));
    await releasing(() => serveProxy(proxy, flags, context, open), () => proxy.close(0));
  }, () => file.close());
  terminal.note(`${calls} ${calls === 1 ? "call" : "calls"} recorded in ${printableLine(flags.out)}`);
  if (file.failure !== undefined) throw file.failure;
}

/** The file of a recording. It is created or replaced when the proxy serves: a failed start changes no file. */
class RecordingFile {
  readonly #path: string;
  readonly #flags: RecordFlags;
  #file: LineFile | undefined;
  /** Lines that were written before the file was opened. */
  #waiting = "";
  /** Why the recording ended early. */
  failure: CliError | undefined;

  /** @throws {CliError} If the file exists and is not to be replaced. */
  constructor(path: string, flags: RecordFlags) {
    this.#path = path;
    this.#flags = flags;
    if (locateFile(path).exists && flags.force !== true) throw fileExists(flags);
  }

  /**
   * Opens it, and names the copy of the file that it replaces. Only its owner can read it.
   *
   * @throws {CliError} If it cannot be written.
   */
  async open(note: (line: string) => void): Promise<void> {
    this.#file = await openLines(this.#path, this.#flags.force === true);
    if (this.#file.backup !== undefined) note(`The old file is ${printableLine(this.#file.backup)}`);
    this.write(this.#waiting);
  }

  write(line: string): void {
    if (this.#file === undefined) this.#waiting += line;
    else this.#file.write(line);
  }

  /** Notes that a call could not be recorded, and none after it is. The command reports it again at its end. */
  fail(cause: unknown, note: (line: string) => void): void {
    this.failure = cause instanceof CliError
      ? cause
      : new CliError(EXIT.found, "A call cannot be recorded", { code: "recording", cause });
    note(`The recording has ended, and calls are still passed on: ${printableLine(this.failure.message)}`);
  }

  close(): void {
    this.#file?.close();
  }
}

function fileExists({ out }: RecordFlags): CliError {
  const hint = "Choose another name, or replace it with --force";
  return new CliError(EXIT.usage, `The file ${out} exists`, { code: "file", hint });
}
