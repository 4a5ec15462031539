import type { AskRequest } from "../call/outcome.ts";
import type { AskAnswer, Memo } from "../engine/engine.ts";
import { isJsonObject, type Json, type JsonObject } from "../internal/json.ts";
import { type CompiledSchema, compileSchema } from "../schema/compile.ts";
import type { AskedFor } from "../tool/asks.ts";

/** Rejects what waits for the caller's answer; whatever the handler makes of it, the run is over. */
const SUSPENDED: Error = new Error("The call stops here until its caller has answered");

interface Question {
  readonly request: AskRequest;
  /** What the answer has to be; of a resource, anything. */
  readonly answer: CompiledSchema | undefined;
}

/** Called when a step has ended, to have its result kept. */
export type KeepStep = (key: string, value: Json) => Promise<unknown> | undefined;

/** What one run asks of its caller, and what it knows of the runs before it. */
export class Asking {
  readonly #answers: Map<string, AskAnswer>;
  readonly #steps: Map<string, Json>;
  readonly #keepStep: KeepStep;
  readonly #used = new Set<string>();
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #open = new Map<string, AskRequest>();

  constructor(memo: Memo | undefined, keepStep: KeepStep) {
    this.#answers = new Map(Object.entries(memo?.answers ?? {}));
    this.#steps = new Map(Object.entries(memo?.steps ?? {}));
    this.#keepStep = keepStep;
  }

  /** What is asked and not answered; `undefined` if nothing is. */
  get requests(): Readonly<Record<string, AskRequest>> | undefined {
    return this.#open.size === 0 ? undefined : Object.fromEntries(this.#open);
  }

  /** What the next run has to know. */
  get memo(): Memo {
    return { answers: Object.fromEntries(this.#answers), steps: Object.fromEntries(this.#steps) };
  }

  /** Gives the caller's answers, or rejects: then the run has to ask. */
  ask(asked: Readonly<Record<string, AskedFor>>): Promise<Record<string, AskAnswer>> {
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

  async #answersTo(questions: readonly (readonly [string, Question])[]): Promise<Record<string, AskAnswer>> {
    const answers = new Map<string, AskAnswer>();
    // All that is open is known before anything is awaited: what is asked in one turn goes out together.
    for (const [key, { request }] of questions) {
      if (!this.#answers.has(key)) this.#open.set(key, request);
    }
    for (const [key, { request, answer }] of questions) {
      const given = this.#answers.get(key);
      const checked = given && await checkAnswer(given, answer);
      if (checked !== undefined) answers.set(key, checked);
      else if (given !== undefined) this.#askAgain(key, request);
    }
    if (answers.size === questions.length) return Object.fromEntries(answers);
    // A step that is not kept would be taken again.
    await Promise.allSettled(this.#inFlight);
    throw SUSPENDED;
  }

  #askAgain(key: string, request: AskRequest): void {
    this.#answers.delete(key);
    this.#open.set(key, request);
  }

  #question(key: string, asked: AskedFor): Question {
    this.#use("question", key);
    if ("resource" in asked) {
      const { resource, amount, reason } = asked;
      const params = { resource, ...(amount !== undefined && { amount }), ...(reason !== undefined && { reason }) };
      const message = reason ?? `More ${resource} needed${amount === undefined ? "" : `: ${amount}`}`;
      return { request: { kind: "resource", message, params }, answer: undefined };
    }
    const answer = compileSchema(asked.schema, { where: `Schema of question "${key}"` });
    const schema = answer.jsonSchema as JsonObject;
    return { request: { kind: "elicitation", message: asked.message, schema }, answer };
  }

  #use(what: "question" | "step", key: string): void {
    const name = `${what} "${key}"`;
    if (this.#used.has(name)) throw new TypeError(`The ${name} comes twice in one run: give each its own key`);
    this.#used.add(name);
  }
}

/** The answer as its schema makes it; `undefined` if it does not fit. */
async function checkAnswer(given: AskAnswer, schema: CompiledSchema | undefined): Promise<AskAnswer | undefined> {
  if (given.action !== "accept" || schema === undefined) return given;
  const checked = await schema.validate(given.content);
  return checked.issues === undefined ? { action: "accept", content: checked.value as Json } : undefined;
}

/** The well-formed ones of a caller's answers. */
export function readAnswers(responses: Readonly<Record<string, unknown>> | undefined): Map<string, AskAnswer> {
  const answers = new Map<string, AskAnswer>();
  for (const [key, response] of Object.entries(responses ?? {})) {
    const { action, content }: Readonly<Record<string, unknown>> = isJsonObject(response) ? response : {};
    if (action === "accept") answers.set(key, { action, ...(content !== undefined && { content: content as Json }) });
    else if (action === "decline" || action === "cancel") answers.set(key, { action });
  }
  return answers;
}

/** `request-for-more-resource` when nothing else is asked for (MCP-lite specification, 3.3). */
export function askKind(
  requests: Readonly<Record<string, AskRequest>>,
): "elicitation" | "request-for-more-resource" {
  const isAllResources = Object.values(requests).every(({ kind }) => kind === "resource");
  return isAllResources ? "request-for-more-resource" : "elicitation";
}
