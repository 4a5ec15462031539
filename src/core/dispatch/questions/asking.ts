import { askedAgain, NO_ANSWER, type Question } from "../../call/outcome.ts";
import type { AskAnswer, Memo } from "../../../engine/engine.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../internal/json.ts";
import type { MaybePromise } from "../../../internal/async.ts";
import type { SchemaAdapter } from "../../schema/adapter.ts";
import { compileSchema } from "../../schema/compile.ts";
import { formatIssues } from "../../schema/issues.ts";
import type { ElicitRequest, QuestionSpec } from "../../handler/questions.ts";

/** Rejects what waits for the caller's answer; whatever the handler makes of it, the run is over. */
const SUSPENDED: Error = new Error("The call stops here until its caller has answered");

/** Gives the answer as what asked for it wants it; or why it does not fit. */
type Check = (content: Json | undefined) => MaybePromise<{ readonly value: Json | undefined } | string>;

interface PendingQuestion {
  readonly request: Question;
  /** `undefined` where anything will do. */
  readonly check: Check | undefined;
}

/** Called when a step has ended, to have its result kept. */
export type KeepStep = (key: string, value: Json) => Promise<unknown> | undefined;

/** What one run asks of its caller, and what it knows of the runs before it. */
export class Asking {
  readonly #answers: Map<string, AskAnswer>;
  readonly #steps: Map<string, Json>;
  readonly #adapters: readonly SchemaAdapter[];
  readonly #keepStep: KeepStep;
  readonly #used = new Set<string>();
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #open = new Map<string, Question>();

  constructor(memo: Memo | undefined, adapters: readonly SchemaAdapter[], keepStep: KeepStep) {
    this.#answers = new Map(Object.entries(memo?.answers ?? {}));
    this.#steps = new Map(Object.entries(memo?.steps ?? {}));
    this.#adapters = adapters;
    this.#keepStep = keepStep;
  }

  /** What is asked and not answered; `undefined` if nothing is. */
  get requests(): Readonly<Record<string, Question>> | undefined {
    return this.#open.size === 0 ? undefined : Object.fromEntries(this.#open);
  }

  /** What the next run has to know. */
  get memo(): Memo {
    return { answers: Object.fromEntries(this.#answers), steps: Object.fromEntries(this.#steps) };
  }

  /** Gives the caller's answers, or rejects: then the run has to ask. */
  ask(asked: Readonly<Record<string, QuestionSpec>>): Promise<Record<string, AskAnswer>> {
    return this.#answersTo(Object.entries(asked).map(([key, one]) => [key, this.#question(key, one)] as const));
  }

  /** Gives what `work` gave in the first run that came here. */
  step(key: string, work: () => unknown): Promise<Json> {
    this.#use("step", key);
    const running = this.#runStep(key, work);
    this.#inFlight.add(running);
    running.catch(() => {}).finally(() => this.#inFlight.delete(running));
    return running;
  }

  async #runStep(key: string, work: () => unknown): Promise<Json> {
    const kept = this.#steps.get(key);
    if (kept !== undefined) return structuredClone(kept);
    // The first run gets what the later ones will: a copy, by way of JSON, which has no undefined.
    const json = JSON.stringify(await work()) ?? "null";
    const value: Json = JSON.parse(json);
    this.#steps.set(key, value);
    await this.#keepStep(key, value);
    return JSON.parse(json);
  }

  async #answersTo(questions: readonly (readonly [string, PendingQuestion])[]): Promise<Record<string, AskAnswer>> {
    const answers = new Map<string, AskAnswer>();
    // All that is open is known before anything is awaited: what is asked in one turn goes out together.
    for (const [key, { request }] of questions) {
      if (!this.#answers.has(key)) this.#open.set(key, request);
    }
    for (const [key, { request, check }] of questions) {
      const given = this.#answers.get(key);
      const checked = given && await checkAnswer(given, check);
      if (typeof checked === "object") answers.set(key, checked);
      else if (checked !== undefined) this.#askAgain(key, request, checked);
    }
    if (answers.size === questions.length) return Object.fromEntries(answers);
    // A step that is not kept would be taken again.
    await Promise.allSettled(this.#inFlight);
    throw SUSPENDED;
  }

  #askAgain(key: string, request: Question, reason: string): void {
    this.#answers.delete(key);
    this.#open.set(key, askedAgain(key, request, reason));
  }

  #question(key: string, asked: QuestionSpec): PendingQuestion {
    this.#use("question", key);
    if (!isQuestion(asked)) {
      throw new TypeError(`Cannot ask "${key}": give a message with a schema or url, more, messages, or roots`);
    }
    return "schema" in asked ? formQuestion(key, asked, this.#adapters) : otherQuestion(asked);
  }

  #use(what: "question" | "step", key: string): void {
    const name = `${what} "${key}"`;
    if (this.#used.has(name)) throw new TypeError(`The ${name} comes twice in one run: give each its own key`);
    this.#used.add(name);
  }
}

/** What is none of them would go to the caller's model, as it is. */
function isQuestion(asked: QuestionSpec | undefined): boolean {
  const { message, schema, url, more, messages, roots }: Readonly<Record<string, unknown>> = { ...asked };
  if (schema || url) return typeof message === "string" && message !== "";
  return Boolean(more || messages || roots);
}

function formQuestion(
  key: string,
  { message, schema }: ElicitRequest,
  adapters: readonly SchemaAdapter[],
): PendingQuestion {
  const compiled = compileSchema(schema, { where: `Schema of question "${key}"`, adapters });
  return {
    request: { kind: "elicitation", message, schema: compiled.jsonSchema as JsonObject },
    async check(content) {
      const checked = await compiled.validate(content);
      if (checked.issues === undefined) return { value: checked.value as Json };
      const [{ path, message } = { path: [], message: "" }] = formatIssues(checked.issues, content);
      return `${["content", ...path].join(".")}: ${message}`;
    },
  };
}

function otherQuestion(asked: Exclude<QuestionSpec, ElicitRequest>): PendingQuestion {
  if ("more" in asked) {
    const { more, amount, reason } = asked;
    const params = { resource: more, ...(amount !== undefined && { amount }), ...(reason !== undefined && { reason }) };
    const message = reason ?? `More ${more} needed${amount === undefined ? "" : `: ${amount}`}`;
    return { request: { kind: "more", message, params }, check: undefined };
  }
  if ("url" in asked) {
    const { message, url } = asked;
    return { request: { kind: "elicitation", message, params: { url } }, check: undefined };
  }
  if ("roots" in asked) {
    const request = { kind: "roots", message: "The folders that you work in" } as const;
    return { request, check: (content) => hasList(content, "roots") ? { value: content } : "content has no roots" };
  }
  // Copied by way of JSON: it may hold what JSON has no word for, and waits for its answer elsewhere.
  const params: JsonObject = JSON.parse(JSON.stringify(asked));
  const request = { kind: "sampling", message: "A question to your model", params } as const;
  return { request, check: (content) => isSample(content) ? { value: content } : "content has no model or content" };
}

function hasList(content: Json | undefined, member: string): boolean {
  return isJsonObject(content) && Array.isArray(content[member]);
}

function isSample(content: Json | undefined): boolean {
  return isJsonObject(content) && typeof content["content"] === "object" && typeof content["model"] === "string";
}

/** The answer as what asked for it wants it; or why it does not fit. */
async function checkAnswer(given: AskAnswer, check: Check | undefined): Promise<AskAnswer | string> {
  if (given.action === "malformed") return NO_ANSWER;
  if (given.action !== "accept" || check === undefined) return given;
  const checked = await check(given.content);
  if (typeof checked === "string") return checked;
  return { action: "accept", ...(checked.value !== undefined && { content: checked.value }) };
}

/** A caller's answers. */
export function readAnswers(responses: Readonly<Record<string, unknown>> | undefined): Map<string, AskAnswer> {
  const answers = new Map<string, AskAnswer>();
  for (const [key, response] of Object.entries(responses ?? {})) {
    const { action, content }: Readonly<Record<string, unknown>> = isJsonObject(response) ? response : {};
    if (action === "accept") answers.set(key, { action, ...(content !== undefined && { content: content as Json }) });
    else answers.set(key, { action: action === "decline" || action === "cancel" ? action : "malformed" });
  }
  return answers;
}

/** `request-for-more-resource` when nothing else is asked for (docs/spec.md 3.3). */
export function askKind(
  requests: Readonly<Record<string, Question>>,
): "elicitation" | "request-for-more-resource" {
  const isAllMore = Object.values(requests).every(({ kind }) => kind === "more");
  return isAllMore ? "request-for-more-resource" : "elicitation";
}
