/** `toolwire jobs <target> [verb] [id]`: lists and changes the jobs of a server that has the tools of `jobTools()`. */
import { createCoreClient } from "../../../src/client/core_client.ts";
import type { JobDetail, JobList, JobSummary } from "../../../src/entries/jobs.ts";
import { readToken } from "../../../src/console/read_token.ts";
import { omitUndefined } from "../../../src/internal/json.ts";
import { CliError } from "../cli_error.ts";
import { type CliCommand, defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { formatJob, formatTimeline } from "../jobs/job_text.ts";
import { TARGET_FLAGS, type TargetFlags } from "../targets/flags.ts";
import { openTarget } from "../targets/open.ts";
import { takeTarget } from "../targets/target.ts";
import { printable } from "../terminal/terminal.ts";

interface JobsFlags extends TargetFlags {
  readonly json?: boolean;
  readonly state?: string;
  readonly tool?: string;
  readonly tag?: readonly string[];
  readonly values?: boolean;
  readonly value?: string;
  readonly decline?: boolean;
  readonly reason?: string;
}

/** Tool of each verb; `answer` and `resolve` also take a key. */
const VERBS: Readonly<Record<string, string>> = {
  list: "list_jobs",
  show: "inspect_job",
  cancel: "cancel_job",
  retry: "retry_job",
  rerun: "rerun_job",
  answer: "answer_job",
  resolve: "resolve_job",
};

export const jobsCommand: CliCommand = defineCommand<JobsFlags>({
  usage: "<target> [list | show | cancel | retry | rerun | answer | resolve] [<id or token>] [<key>] [--json]",
  about:
    "Lists the jobs of a server that has the tools of jobTools(), shows what has happened to one, and cancels it, begins it again from the " +
    "step that failed, runs it again as a new one, answers its question, or gives it the value that it waits for. The caller needs the scope.",
  examples: [
    ["toolwire jobs https://example.com/mcp --tag order=4711", "The jobs of one order"],
    ["toolwire jobs https://example.com/mcp show prom_…", "What has happened to a job, by its token or id"],
    [
      "toolwire jobs https://example.com/mcp resolve 0197… approval --value '{\"ok\":true}'",
      "Approve for an absent person",
    ],
  ],
  takesProgram: true,
  parameters: {
    flags: {
      ...TARGET_FLAGS,
      json: { kind: "boolean", optional: true, brief: "One JSON object on standard output" },
      state: { kind: "parsed", parse: String, optional: true, placeholder: "state", brief: "Only jobs in this state" },
      tool: { kind: "parsed", parse: String, optional: true, placeholder: "name", brief: "Only jobs of this tool" },
      tag: {
        kind: "parsed",
        parse: String,
        optional: true,
        variadic: true,
        placeholder: "name=value",
        brief: "Only jobs with this tag; may be repeated",
      },
      values: { kind: "boolean", optional: true, brief: "Show arguments and results, without secrets" },
      value: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "json",
        brief: "Value, or content of an answer",
      },
      decline: { kind: "boolean", optional: true, brief: "Decline in place of giving a value" },
      reason: { kind: "parsed", parse: String, optional: true, placeholder: "text", brief: "Why it is declined" },
    },
    positional: {
      kind: "array",
      parameter: { brief: "Target, verb, job and key", parse: String, placeholder: "words" },
    },
  },
  async run(context, flags, ...words) {
    const { target, rest: [verb = "list", ...rest] } = takeTarget(words, context);
    const tool = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
    if (tool === undefined) {
      throw new CliError(
        EXIT.usage,
        `There is no verb ${JSON.stringify(verb)}: there are ${Object.keys(VERBS).join(", ")}`,
      );
    }
    const args = argumentsOf(verb, rest, flags);
    const signal = context.interruption();
    const connection = await openTarget(target, flags, context, { signal, isQuiet: flags.json === true });
    try {
      if (!(await connection.tools()).some(({ name }) => name === tool)) {
        throw new CliError(EXIT.refused, `The server has no tool ${tool} for this caller`, {
          hint: 'Add ...jobTools() of "toolwire/jobs" to its tools, and call it with the scope "jobs"',
        });
      }
      const limits = omitUndefined({ signal, timeoutMs: flags.timeout });
      print(verb, await createCoreClient(connection.transport).$.call(tool, args, limits), flags, context);
    } finally {
      await connection.close();
    }
  },
});

function argumentsOf(
  verb: string,
  [job, key, ...others]: readonly string[],
  flags: JobsFlags,
): Record<string, unknown> {
  const extra = verb === "list" ? job : verb === "answer" || verb === "resolve" ? others[0] : key;
  if (extra !== undefined) throw new CliError(EXIT.usage, `There is one argument too many: ${JSON.stringify(extra)}`);
  if (verb === "list") {
    const { state, tool, tag } = flags;
    return omitUndefined({ state, tool, tags: tag && Object.fromEntries(tag.map(toTag)) });
  }
  if (job === undefined) throw new CliError(EXIT.usage, "The id or the promise token of the job is missing");
  const id = idOf(job);
  if (verb === "show") return { id, values: flags.values === true };
  if (verb !== "answer" && verb !== "resolve") return { id };
  if (key === undefined) throw new CliError(EXIT.usage, "The key of the question or wait is missing");
  const { decline = false, reason } = flags;
  if (verb === "resolve") {
    return omitUndefined({ id, key, reason, ...decline ? { decline } : { value: valueOf(flags) } });
  }
  const answer = decline ? { action: "decline" } : omitUndefined({ action: "accept", content: valueOf(flags) });
  return { id, answers: { [key]: answer } };
}

function toTag(word: string): readonly [string, string] {
  const at = word.indexOf("=");
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw new CliError(EXIT.usage, `--tag takes name=value, such as order=4711, not ${JSON.stringify(word)}`);
}

/** The id of a job, which a promise token shows. */
function idOf(word: string): string {
  if (!word.startsWith("prom_")) return word;
  const id = readToken(word, Date.now())?.id;
  if (id !== undefined) return id;
  throw new CliError(EXIT.usage, "The promise token cannot be read: give the id of the job");
}

function valueOf({ value }: JobsFlags): unknown {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw new CliError(EXIT.usage, `--value is JSON, such as '{"ok":true}' or '"text"', not ${JSON.stringify(value)}`);
  }
}

function print(verb: string, answer: unknown, { json }: JobsFlags, { terminal }: CliContext): void {
  if (json === true) return terminal.printJson(answer as Record<string, unknown>);
  const line = (text: string) => terminal.print(printable(text.replace(/\s*\n\s*/g, " ")));
  if (verb === "show") return formatTimeline(answer as JobDetail).forEach(line);
  if (verb !== "list") return line(formatJob(answer as JobSummary));
  const { jobs, cursor } = answer as JobList;
  jobs.map(formatJob).forEach(line);
  if (cursor !== undefined) terminal.note("There are more: add conditions, such as --tool, --state or --tag");
}
