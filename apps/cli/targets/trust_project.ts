/**
 * Trust in a project's configuration file: it comes with a repository, starts programs and names URLs. A person is asked once for each
 * file and content; the answer is kept in the user's folder.
 */
import { createHash } from "node:crypto";
import { isJsonObject } from "../../../src/internal/json.ts";
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { describeLink, locateFile, readFileBytes } from "../files/place.ts";
import { inUserFolder } from "../files/user_folder.ts";
import { updateFile } from "../files/write_file.ts";
import { hideSecrets } from "../hosts/hide_secrets.ts";
import type { ConfiguredServer } from "../hosts/read_servers.ts";
import { printableLine } from "../terminal/terminal.ts";

/** Maximum number of files whose digests are kept. */
const MAX_FILES = 1_000;

/**
 * Makes sure that the user trusts the file of a server of scope `project`. No variable has been filled in, and nothing was started.
 *
 * @param isTrusted Value of `--trust-project`.
 * @throws {CliError} If the user refuses, or there is no terminal.
 */
export async function assertTrusted(
  found: ConfiguredServer,
  isTrusted: boolean,
  context: CliContext,
): Promise<void> {
  if (found.scope !== "project" || isTrusted) return;
  const place = locateFile(found.file, {}, "read");
  const digest = createHash("sha256").update(found.text).digest("hex");
  const record = inUserFolder(context.host.env, "trusted-projects.json");
  if (parseRecord(readFileBytes(record))[place.target] === digest) return;
  const shown = printableLine(place.file + describeLink(place));
  if (!context.terminal.isInteractive) {
    throw new CliError(EXIT.unanswered, `The server ${JSON.stringify(found.name)} is of a project's file, ${shown}`, {
      code: "untrusted_project",
      hint: `Read the file; then run the command once in a terminal, or add --trust-project. It has ${describe(found)}`,
    });
  }
  if (!await ask(found, shown, context)) {
    throw new CliError(EXIT.denied, `The project's file ${shown} is not trusted`, { code: "untrusted_project" });
  }
  await updateFile(record, (old) => {
    const { [place.target]: _, ...others } = parseRecord(old);
    const entries = [...Object.entries(others), [place.target, digest]].slice(-MAX_FILES);
    return `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
  }, { mode: 0o600, folderMode: 0o700, isDisposable: () => true });
}

async function ask(found: ConfiguredServer, shown: string, { host, terminal }: CliContext): Promise<boolean> {
  const { createPrompter } = await import("../calls/prompter.ts");
  terminal.note(`The server ${printableLine(found.name)} is of a project's file, ${shown}. It has ${describe(found)}`);
  const prompter = await createPrompter(host);
  const answer = await prompter.choose("Trust this file until it changes?", [
    { value: false, label: "No" },
    { value: true, label: "Yes: start its programs, and send it the variables that it names" },
  ], false);
  return answer === true;
}

/** The program or URL, as the file has it, with secrets hidden. */
function describe({ server }: ConfiguredServer): string {
  return printableLine(JSON.stringify(hideSecrets({ ...server })));
}

/** Digests by path. A damaged record has none, so that the user is asked again. */
function parseRecord(bytes: Uint8Array | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
