/** Answers the questions of a tool: from flags, else by asking a person, else not at all. */
import { pathToFileURL } from "node:url";
import type { Question } from "../../../src/core/call/outcome.ts";
import type { QuestionAnswer } from "../../../src/client/types.ts";
import { asObject, isJsonObject, type Members, typedOr } from "../../../src/internal/json.ts";
import { parseAssignment } from "../arguments/assignments.ts";
import { buildArguments } from "../arguments/build.ts";
import { accepts } from "../arguments/convert.ts";
import { CliError } from "../cli_error.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit_codes.ts";
import { openLink } from "../terminal/open_link.ts";
import { printable, printableLine } from "../terminal/terminal.ts";
import { askForm } from "./ask_form.ts";
import { createPrompter, type Prompter } from "./prompter.ts";

/** Flags about questions of tools: fields of forms (`--answer`), consent (`--yes`), and no prompts (`--no-ask`). */
export interface QuestionFlags {
  readonly answer?: readonly string[];
  readonly yes?: boolean;
  readonly noAsk?: boolean;
}

/** Questions that a tool asks in one outcome. The answers have the same keys. */
export type Questions = Readonly<Record<string, Question>>;

/** The members of a command's context that are needed to answer questions. */
type AskingContext = Pick<CliContext, "terminal" | "host">;

/** Answers questions of tools for one command: by its flags, else by the person at the terminal. The only root is the working directory. */
export class QuestionAnswerer {
  readonly #flags: QuestionFlags;
  readonly #context: AskingContext;
  readonly #createPrompter: () => Promise<Prompter>;
  #prompter: Promise<Prompter> | undefined;

  /** @param create Creates what asks a person. Default: prompts in the terminal. */
  constructor(
    flags: QuestionFlags,
    context: AskingContext,
    create: () => Promise<Prompter> = () => createPrompter(context.host),
  ) {
    this.#flags = flags;
    this.#context = context;
    this.#createPrompter = create;
  }

  /**
   * Answers all questions of an outcome, one after the other.
   *
   * @throws {CliError} If a question needs a person, and there is no terminal or `--no-ask` is given; or if the tool refused the answer of the flags.
   */
  async answer(questions: Questions): Promise<Readonly<Record<string, QuestionAnswer>>> {
    this.#context.terminal.status.end();
    const answers: Record<string, QuestionAnswer> = {};
    for (const [key, question] of Object.entries(questions)) answers[key] = await this.#answerOne(key, question);
    return answers;
  }

  async #answerOne(key: string, question: Question): Promise<QuestionAnswer> {
    const { kind, params } = question;
    if (kind === "roots") return { action: "accept", content: { roots: [this.#folder()] } };
    const { refused } = asObject(params);
    const known = this.#knownAnswer(question);
    if (known !== undefined && refused === undefined) return known;
    if (known !== undefined) throw refusedError(key, String(refused));
    const prompter = await this.#person(key, question);
    this.#show(question, refused);
    if (kind === "sampling") return await sample(prompter);
    if (kind === "more") return await grant(prompter);
    const url = asObject(params)["url"];
    return typeof url === "string" ? await visit(url, prompter) : await this.#fillIn(question, prompter);
  }

  /** The answer that the flags give; `undefined` if a person has to be asked. */
  #knownAnswer({ kind, schema, params }: Question): QuestionAnswer | undefined {
    const isYes = this.#flags.yes === true;
    if (kind === "more" || typeof asObject(params)["url"] === "string") return isYes ? { action: "accept" } : undefined;
    if (kind !== "elicitation") return undefined;
    const form = schema ?? {};
    const content = this.#contentOf(form);
    const isGiven = isYes || Object.keys(content).length > 0;
    return isGiven && accepts(form, content, form) ? { action: "accept", content } : undefined;
  }

  /** Fields of a form that `--answer` gives, over the defaults of the form. */
  #contentOf(form: Members): Members {
    const properties = asObject(form["properties"]);
    const defaults = Object.entries(properties).flatMap(([name, property]) => {
      const { default: value } = asObject(property);
      return value === undefined || this.#flags.yes !== true ? [] : [[name, value] as const];
    });
    const words = (this.#flags.answer ?? []).filter((word) => {
      const [first] = parseAssignment(word).path;
      return typeof first === "string" && Object.hasOwn(properties, first);
    });
    return buildArguments(words, Object.fromEntries(defaults), form, { cwd: this.#context.host.cwd, warn() {} });
  }

  #person(key: string, question: Question): Promise<Prompter> {
    if (!this.#context.terminal.isInteractive || this.#flags.noAsk === true) {
      throw unansweredError(key, question, this.#flags.answer ?? []);
    }
    return this.#prompter ??= this.#createPrompter();
  }

  #show({ message, params, kind }: Question, refused: unknown): void {
    const { terminal } = this.#context;
    if (typeof refused === "string") terminal.note(terminal.styleNote("yellow", printable(refused)));
    if (message !== "") terminal.note(terminal.styleNote("bold", printable(message)));
    if (kind === "sampling") { for (const line of samplingLines(params)) terminal.note(printable(line)); }
    const { url } = asObject(params);
    if (typeof url === "string") terminal.note(`  ${printableLine(url)}`);
  }

  async #fillIn({ schema = {} }: Question, prompter: Prompter): Promise<QuestionAnswer> {
    const isEmpty = Object.keys(asObject(schema["properties"])).length === 0;
    const choice = await prompter.choose("Your answer", [
      { value: "answer", label: isEmpty ? "Accept" : "Answer" },
      { value: "decline", label: "Decline" },
    ]);
    if (choice === undefined) return { action: "cancel" };
    if (choice === "decline") return { action: "decline" };
    const content = await askForm(schema, this.#contentOf(schema), prompter);
    return content === undefined ? { action: "cancel" } : { action: "accept", content };
  }

  #folder(): { readonly uri: string } {
    return { uri: pathToFileURL(this.#context.host.cwd).href };
  }
}

async function grant(prompter: Prompter): Promise<QuestionAnswer> {
  const choice = await prompter.choose("Grant it?", [
    { value: "accept", label: "Grant" },
    { value: "decline", label: "Decline" },
  ]);
  return { action: choice === "accept" || choice === "decline" ? choice : "cancel" };
}

async function visit(url: string, prompter: Prompter): Promise<QuestionAnswer> {
  // A server could name any program of this machine by another scheme.
  const isWeb = /^https?:/.test(url) && URL.canParse(url);
  const choice = await prompter.choose("This page has to be visited", [
    ...(isWeb ? [{ value: "open", label: "Open it in the browser" }] : []),
    { value: "accept", label: "I have visited it" },
    { value: "decline", label: "Decline" },
  ]);
  if (choice === undefined) return { action: "cancel" };
  if (choice === "decline") return { action: "decline" };
  if (choice === "open") await openLink(new URL(url).href);
  return { action: "accept" };
}

/** Takes the part of the model. */
async function sample(prompter: Prompter): Promise<QuestionAnswer> {
  const text = await prompter.text("The model's answer", { validate: () => undefined });
  if (text === undefined) return { action: "decline" };
  return { action: "accept", content: { role: "assistant", content: { type: "text", text }, model: "person" } };
}

/** The conversation of a request to a model. */
function samplingLines(params: unknown): readonly string[] {
  const { systemPrompt, messages } = asObject(params);
  const lines = (Array.isArray(messages) ? messages : []).filter(isJsonObject).map(({ role, content }) => {
    const { text } = asObject(Array.isArray(content) ? content[0] : content);
    return `  ${typedOr(role, "user")}: ${typeof text === "string" ? text : JSON.stringify(content)}`;
  });
  return typeof systemPrompt === "string" ? [`  system: ${systemPrompt}`, ...lines] : lines;
}

function refusedError(key: string, reason: string): CliError {
  return new CliError(EXIT.refused, `The answer to the question "${key}" was refused: ${reason}`, {
    code: "answer_refused",
  });
}

function unansweredError(
  key: string,
  { kind, message, schema, params }: Question,
  given: readonly string[],
): CliError {
  const fields = Object.keys(asObject(schema?.["properties"]));
  const flags = kind === "sampling"
    ? "Run it in a terminal, and take the part of the model"
    : fields.length === 0
    ? "Accept it with --yes, or run it in a terminal"
    : `Answer it with ${fields.map((name) => `--answer ${name}=…`).join(" ")}, or run it in a terminal`;
  const misfit = given.length === 0 ? "" : `; ${given.join(" ")} does not answer it`;
  return new CliError(EXIT.unanswered, `The question "${key}" needs a person: ${message}${misfit}`, {
    code: "question",
    hint: flags,
    data: { key, kind, schema, params },
  });
}
