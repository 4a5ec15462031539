import { mistake } from "../../errors/mistake.ts";
import { askedAgain, type CallResult, type Question } from "../../call/outcome.ts";
import type { AskAnswer, LedgerEntry, Memo } from "../engine.ts";
import { Failure } from "../../errors/failure.ts";
import type { Json } from "../../../internal/json.ts";
import type {
  Answers,
  ElicitAnswer,
  ElicitRequest,
  MoreRequest,
  PlainElicitRequest,
  QuestionSpec,
  RootsResult,
  SampleRequest,
  SampleResult,
  UrlRequest,
} from "../../handler/questions.ts";
import type { StepOptions, StepValue, StepWork } from "../../handler/steps.ts";
import type { AnySchema } from "../../schema/plain_schema.ts";
import type { Resolver, WaitOptions, WaitResult } from "../../handler/waits.ts";
import type { TokenKeys } from "../../token/token.ts";
import type { InnerCall, ResumableRun, RunQuestions } from "../services.ts";
import { CancelledWaits } from "./cancelled_waits.ts";
import { InFlightWork } from "./in_flight.ts";
import { toValue } from "../inner_call.ts";
import { InnerCalls, stepOf } from "./inner_calls.ts";
import { MappedLists } from "./mapped_lists.ts";
import { ReplayCheck } from "./replay_check.ts";
import {
  checkAnswer,
  DEFAULT_ATTEMPTS,
  noFittingAnswer,
  type PendingQuestion,
  toPendingQuestion,
} from "./question_specs.ts";
import { failedStepOf } from "./step_failure.ts";
import { checkStep, StepTracker } from "./steps.ts";
import { SUSPENDED } from "./stops.ts";
import { OPEN, WaitTracker } from "./wait_tracker.ts";
import { questionsResult } from "./questions_result.ts";

/** Turns of the microtask queue in which a run that stops may ask further questions, or its handler may end by itself, as after a race. */
const SETTLING_TURNS = 10;

/** A question of other libraries has no key: the answer arrives with a later run, which finds it by the key. */
const QUESTION_WITHOUT_KEY =
  'Cannot ask: a question has a key first, such as ctx.elicit("sure", { message: "Sure?", schema })';

/** Questions, steps and waits of one run: takes answers and results from the memo of the runs before, and stops the run where one is missing. */
export class QuestionTracker implements RunQuestions {
  readonly #run: ResumableRun;
  readonly #keys: TokenKeys;
  /** With members that only newer versions know. */
  readonly #memoBefore: Memo | undefined;
  readonly #answers: Map<string, AskAnswer>;
  readonly #steps: StepTracker;
  /** Number of answers that did not fit, by key. */
  readonly #misfits: Map<string, number>;
  readonly #givenAnswerKeys: readonly string[];
  readonly #usedKeys = new Set<string>();
  readonly #inFlight = new InFlightWork();
  readonly #open = new Map<string, Question>();
  readonly #waits: WaitTracker;
  readonly #replay: ReplayCheck;
  readonly #calls: InnerCalls;
  readonly lists: MappedLists;
  readonly #cancelled: CancelledWaits;
  /** Whether the run stops as soon as its steps are over. */
  #isStopping = false;
  /** Whether something was rejected with {@link SUSPENDED}: the handler may be in its `catch`, where nothing else begins. */
  #hasRejected = false;
  #hasSettled = false;
  isLeft = false;

  constructor(run: ResumableRun, keys: TokenKeys, memo: Memo | undefined, ledger: readonly LedgerEntry[] = []) {
    this.#run = run;
    this.#keys = keys;
    this.#memoBefore = memo;
    this.#answers = new Map(Object.entries(memo?.answers ?? {}));
    this.#givenAnswerKeys = [...this.#answers.keys()];
    this.#misfits = new Map(Object.entries(memo?.misfits ?? {}));
    this.#waits = new WaitTracker(run, keys, memo);
    this.#replay = new ReplayCheck(run, memo, ledger);
    this.#cancelled = new CancelledWaits(run);
    const shared = { waits: this.#waits, replay: this.#replay, cancelled: this.#cancelled };
    this.#steps = new StepTracker(run, shared, memo, ledger);
    this.#calls = new InnerCalls(run, {
      steps: this.#steps.kept,
      waits: this.#waits,
      cancelled: this.#cancelled,
      retries: this.#steps,
      lists: () => this.lists,
      answersTo: (questions) => this.#answersTo(questions),
      useQuestion: (key) => this.#useKey("question", key),
      dropAnswer: (key) => void this.#answers.delete(key),
    });
    this.lists = new MappedLists(this.#steps.kept, this.#inFlight, {
      begin: (key) => this.#begins("map", key) ? this.#waits.storePatches() : this.#refuse(),
      allows: (list, key) => this.#allowsItem(list, key),
      replay: this.#replay,
      cancelled: this.#cancelled,
    });
  }

  get requests(): Readonly<Record<string, Question>> | undefined {
    return this.#open.size === 0 ? undefined : Object.fromEntries(this.#open);
  }

  get waiting(): readonly string[] | undefined {
    return this.#waits.open.size === 0 ? undefined : [...this.#waits.open];
  }

  hasStopped(ending?: "returned" | "thrown"): boolean {
    // A handler that has ended needs no wait that is still open, as after a race. Middleware around it may wait for others.
    if (ending !== undefined && !this.#hasRejected) this.#waits.open.clear();
    if (this.#cancelled.isCancelled) return false;
    const isOpen = this.#open.size + this.#waits.open.size > 0;
    if (isOpen || ending === "returned") this.#replay.finish();
    return isOpen || this.#replay.divergence !== undefined;
  }

  get kept(): RunQuestions["kept"] {
    return this.#steps.kept.all;
  }

  get memo(): Memo {
    const { waits } = this.#waits;
    return {
      ...this.#memoBefore,
      answers: Object.fromEntries(this.#answers),
      ...this.#steps.memo,
      ...(this.#misfits.size > 0 && { misfits: Object.fromEntries(this.#misfits) }),
      ...(waits.size > 0 && { waits: Object.fromEntries(waits) }),
      ...(this.#run.definition.promise !== undefined && this.#replay.beside),
      // A continuation is short-lived, and has no room for it.
      ...(this.#run.lease?.isPromised && this.#replay.trail),
    };
  }

  elicit<Content>(key: string, request: ElicitRequest<Content> | PlainElicitRequest): Promise<ElicitAnswer<Content>> {
    return this.#askOne(key, request);
  }

  elicitUrl(key: string, request: UrlRequest): Promise<ElicitAnswer> {
    return this.#askOne(key, request);
  }

  sample(key: string, request: SampleRequest): Promise<ElicitAnswer<SampleResult>> {
    return this.#askOne(key, request);
  }

  roots(key: string = "roots"): Promise<ElicitAnswer<RootsResult>> {
    return this.#askOne(key, { roots: true });
  }

  ask<const Requests extends Readonly<Record<string, QuestionSpec>>>(requests: Requests): Promise<Answers<Requests>> {
    return this.#ask(requests, (answers) => answers as Answers<Requests>);
  }

  requestMore(more: string, options?: Omit<MoreRequest, "more">): Promise<unknown> {
    return this.#ask({ [more]: { ...options, more } }, ({ [more]: answer }) => {
      if (answer?.action === "accept") return answer.content;
      throw new Failure("resource_denied", `The caller gave no more ${more}`, { resource: more });
    });
  }

  sleep(key: string, time: number | Date): Promise<void> {
    if (!this.#begins("sleep", key)) return this.#refuse();
    return this.#wait(() => this.#waits.sleep(key, time));
  }

  waitFor<Value>(key: string, schema: AnySchema<Value>, options?: WaitOptions): Promise<WaitResult<Value>> {
    if (!this.#begins("wait", key)) return this.#refuse();
    return this.#wait(() => this.#waits.waitFor(key, schema, options));
  }

  resolver(key: string, options?: WaitOptions): Promise<Resolver> {
    this.#useKey("resolver", key);
    return this.#waits.resolver(key, options);
  }

  /** The stored outcome of the step; without one, `work` runs until it succeeds or has failed finally, and its outcome is stored, as JSON. */
  step<Value>(key: string, work: StepWork<Value>, options: StepOptions = {}): Promise<StepValue<Value>> {
    if (this.#hasRejected || this.isLeft) return this.#refuse();
    checkStep(key, work, options);
    if (!this.#begins("step", key)) return this.#refuse();
    // A step that is tried again by a later run leaves its handler here, whatever else is running.
    return this.#orSuspend(this.#takeStep(key, work, options), (value) => value as StepValue<Value>, false);
  }

  patched(name: string): boolean {
    if (this.#waits.isPatched(name)) return true;
    if (!this.#replay.hasCaughtUp) return false;
    this.#waits.patch(name);
    return true;
  }

  async innerCall(call: InnerCall): Promise<unknown> {
    if (this.#hasRejected || this.isLeft) return await this.#refuse();
    const name = this.#calls.nameOf(call);
    if (!this.#begins("step", stepOf(name))) return await this.#refuse();
    const result = await this.#untilOver(this.#calls.resultOf(name, call)).catch((thrown: unknown) => {
      this.#replay.end(failedStepOf(thrown) === undefined);
      this.#cancelled.markNotified();
      throw thrown;
    });
    if (result.kind !== "answer") this.#cancelled.markNotified();
    return toValue(result);
  }

  cancel(): boolean {
    if (this.isLeft || this.#hasRejected) return false;
    this.#cancelled.rejectAll();
    return true;
  }

  get unsettled(): Promise<void> | undefined {
    // A step that is not stored would run again.
    return this.#inFlight.isAny && this.#open.size + this.#waits.open.size > 0 ? this.#inFlight.untilOver() : undefined;
  }

  settle(): CallResult {
    this.#hasSettled = true;
    const { divergence } = this.#replay;
    if (divergence !== undefined) return divergence;
    const { requests } = this;
    if (requests !== undefined) {
      const asked = {
        requests,
        given: this.#givenAnswerKeys,
        isUsed: (key: string) => this.#usedKeys.has(`question "${key}"`),
      };
      return questionsResult(this.#run, this.#keys, this, asked);
    }
    const { services, definition } = this.#run;
    try {
      return services.deferral!.promiseOf(this.#run, this);
    } catch (thrown) {
      // The keys of others may throw.
      return services.mask(thrown, { tool: definition.name });
    }
  }

  #askOne<Content>(key: string, request: QuestionSpec): Promise<ElicitAnswer<Content>> {
    if (typeof key !== "string") throw mistake(new TypeError(QUESTION_WITHOUT_KEY));
    return this.#ask({ [key]: request }, (answers) => answers[key] as ElicitAnswer<Content>);
  }

  #ask<Value>(
    requests: Readonly<Record<string, QuestionSpec>>,
    read: (answers: Readonly<Record<string, AskAnswer>>) => Value,
  ): Promise<Value> {
    if (this.#hasRejected || this.isLeft) return this.#refuse();
    const { definition, request: call } = this.#run;
    // Middleware of a server runs before the continuation is read, and would ask again each time.
    if (this.#memoBefore === undefined && call.meta?.continuation?.startsWith("cont_")) {
      throw mistake(
        new TypeError(
          `Cannot ask in middleware of a server or part: its answers are read after it. Ask in .use(…) of tool "${definition.name}"`,
        ),
      );
    }
    if (definition.external !== undefined && this.#run.externalToken === undefined) {
      throw mistake(
        new TypeError(
          `Tool "${definition.name}" cannot ask in start or cancel: only the check of .external() asks`,
        ),
      );
    }
    const questions = Object.entries(requests).map(([key, one]) => [key, this.#question(key, one)] as const);
    return this.#orSuspend(this.#answersTo(questions), read);
  }

  #wait<Value>(begin: () => Promise<Value | typeof OPEN>): Promise<Value> {
    const { kept } = this.#steps;
    const wait = kept.hasFailures ? kept.settleFailures().then(begin) : begin();
    return this.#untilOver(this.#cancelled.race(wait));
  }

  #untilOver<Value>(wait: Promise<Value | typeof OPEN>): Promise<Value> {
    return this.#orSuspend(wait, (value) => {
      this.#replay.end(false);
      return value as Value;
    });
  }

  /** What `read` returns for the result; {@link QuestionTracker.#suspend} if that is open. */
  #orSuspend<Result, Value>(
    result: Promise<Result | typeof OPEN>,
    read: (result: Result) => Value,
    isBesideStep: boolean = this.#steps.running > 0,
  ): Promise<Value> {
    const { starting } = this.#steps;
    // In flight: a sleep may be over within this run.
    const value = this.#inFlight.track(result)
      .then((result) => {
        if (result !== OPEN) return read(result);
        starting?.suspend();
        return this.#suspend(isBesideStep);
      });
    // The handler may not await it, and an unhandled rejection ends the process.
    value.catch(() => {});
    return value;
  }

  /** In place of a result that this run does not get. It never settles, so that neither `catch` nor `finally` of the handler run. */
  #suspend(isBesideStep: boolean): Promise<never> {
    if (this.#cancelled.isCancelled) return this.#cancelled.reject();
    this.lists.suspendOne();
    if (!this.#isStopping) void this.#stop();
    if (!isBesideStep) return this.#cancelled.never();
    this.#hasRejected = true;
    return Promise.reject(SUSPENDED);
  }

  /** Does not settle if the work of a new item would come in place of something that is recorded, such as a list with another key. */
  async #allowsItem(list: string, key: string): Promise<void> {
    await this.#steps.kept.settleFailures();
    const isPromise = this.#run.definition.promise !== undefined;
    if (isPromise && !await this.#replay.allowsItem(list, `step ${key}`)) return await this.#refuse();
  }

  /** Notes the start of a step, a sleep or a wait; `false` if the run stops, or has stopped. */
  #begins(what: "step" | "sleep" | "wait" | "map", key: string): boolean {
    if (this.#hasRejected || this.isLeft) return false;
    this.#useKey(what, key);
    return this.#replay.begin(`${what} ${key}`);
  }

  /** In place of what begins after the run has stopped, or stops it. While steps are running it rejects, since their work may be what begins it. */
  #refuse(): Promise<never> {
    if (!this.#hasRejected && !this.isLeft) return this.#suspend(this.#steps.running > 0);
    return this.isLeft ? this.#cancelled.never() : Promise.reject(SUSPENDED);
  }

  async #stop(): Promise<void> {
    this.#isStopping = true;
    // Further questions may be asked at the same time, and a step may begin another one.
    do {
      await this.#inFlight.untilOver();
      for (let turn = 0; turn < SETTLING_TURNS; turn++) await undefined;
    } while (this.#inFlight.isAny);
    this.#isStopping = false;
    if (this.#hasSettled || !this.hasStopped()) return;
    this.isLeft = true;
    this.#run.leaveHandler(this.settle());
  }

  async #takeStep(key: string, work: StepWork<unknown>, options: StepOptions): Promise<Json | typeof OPEN> {
    try {
      const value = await this.#steps.take(key, work, options);
      if (value !== OPEN) this.#replay.end(false);
      return value;
    } catch (thrown) {
      this.#replay.end(failedStepOf(thrown) === undefined);
      throw thrown;
    }
  }

  /** The answers; {@link OPEN} if one of them is missing. */
  async #answersTo(
    questions: readonly (readonly [string, PendingQuestion])[],
  ): Promise<Record<string, AskAnswer> | typeof OPEN> {
    const answers = new Map<string, AskAnswer>();
    // Open questions are collected before the first await, so that questions of one turn are sent together.
    for (const [key, { request }] of questions) {
      if (!this.#answers.has(key)) this.#open.set(key, request);
    }
    for (const [key, question] of questions) {
      const answer = this.#answers.get(key);
      const checked = answer && await checkAnswer(answer, question.check);
      if (typeof checked === "object") answers.set(key, checked);
      else if (checked !== undefined) this.#askAgain(key, question, checked);
    }
    return answers.size === questions.length ? Object.fromEntries(answers) : OPEN;
  }

  /** @throws {Failure} `unanswered`, if the question was asked often enough. */
  #askAgain(key: string, { request, attempts = DEFAULT_ATTEMPTS }: PendingQuestion, reason: string): void {
    this.#answers.delete(key);
    const misfits = (this.#misfits.get(key) ?? 0) + 1;
    if (misfits >= attempts) throw noFittingAnswer(key, misfits, reason);
    this.#misfits.set(key, misfits);
    this.#open.set(key, askedAgain(key, request, reason));
  }

  #question(key: string, asked: QuestionSpec): PendingQuestion {
    this.#useKey("question", key);
    return toPendingQuestion(key, asked, this.#run.definition.adapters);
  }

  #useKey(what: "question" | "step" | "sleep" | "wait" | "map" | "resolver", key: string): void {
    const name = `${what} "${key}"`;
    if (this.#usedKeys.has(name)) {
      throw mistake(new TypeError(`The ${name} comes twice in one run: give each its own key`));
    }
    this.#usedKeys.add(name);
  }
}
