/** An append-only record of calls whose lines are chained by hashes, so that a changed, removed or moved line is found. */
import { sha256Hex } from "../../core/token/digest.ts";
import type { MaybePromise } from "../../internal/async.ts";
import { checkOptions, type OptionRules, required, rule } from "../../internal/options.ts";
import { type ChainEnd, chainLine, GENESIS, readLine } from "./audit_line.ts";
import type { CallRecord, RecordCall } from "./decisions.ts";

/** Where an audit is stored: `auditFile(path)`, or a store of yours. One process at a time appends to it. */
export interface AuditSink {
  /** Returns the end of the text: at least the last whole line and what follows it. Read before the first line, and after a failure. */
  readEnd(): MaybePromise<string>;
  /** Appends text. It is stored when this is done. */
  append(text: string): MaybePromise<void>;
}

/** Options of {@link auditLog}. */
export interface AuditLogOptions {
  /** Where the lines are stored. */
  readonly sink: AuditSink;
}

const RULES: OptionRules<AuditLogOptions> = {
  sink: required(rule("a sink such as auditFile(path), with readEnd and append", (sink) => {
    return typeof Object(sink).readEnd === "function" && typeof Object(sink).append === "function";
  })),
};

/** A line that waits to be stored. */
interface WaitingLine extends PromiseWithResolvers<void> {
  readonly record: CallRecord;
}

/**
 * Creates the `record` of {@link decisions} that appends a line to an audit: JSON with the record, its number, the hash of the line before,
 * and its own hash. Lines that come together are appended together. `verifyAudit(text)` checks them.
 *
 * @throws {TypeError} If there is no sink, or an option is unknown.
 */
export function auditLog(options: AuditLogOptions): RecordCall {
  checkOptions("keep an audit", options, RULES);
  const chain = new AuditChain(options.sink);
  return (record) => chain.add(record);
}

/** The lines of a sink that this process adds. */
class AuditChain {
  readonly #sink: AuditSink;
  /** The end of the stored lines; `undefined` before they were read, and after a failure, which may have stored a part. */
  #end: ChainEnd | undefined;
  #waiting: WaitingLine[] = [];
  #isWriting = false;

  constructor(sink: AuditSink) {
    this.#sink = sink;
  }

  add(record: CallRecord): Promise<void> {
    const line: WaitingLine = { record, ...Promise.withResolvers<void>() };
    this.#waiting.push(line);
    if (!this.#isWriting) void this.#write();
    return line.promise;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const lines = this.#waiting;
      this.#waiting = [];
      try {
        await this.#append(lines);
        for (const { resolve } of lines) resolve();
      } catch (thrown) {
        this.#end = undefined;
        for (const { reject } of lines) reject(thrown);
      }
    }
    this.#isWriting = false;
  }

  async #append(lines: readonly WaitingLine[]): Promise<void> {
    let text = "";
    let end = this.#end;
    const add = (members: object): void => {
      const line = chainLine(members, end ?? { n: 0, hash: GENESIS });
      text += `${line.text}\n`;
      end = line;
    };
    if (end === undefined) {
      const stored = endOf(await this.#sink.readEnd());
      end = stored.end;
      text = stored.hasLineEnd ? "" : "\n";
      if (stored.torn !== undefined) add({ torn: sha256Hex(stored.torn) });
    }
    for (const { record } of lines) add(record);
    await this.#sink.append(text);
    this.#end = end;
  }
}

/** What is at the end of an audit: the last whole line, and a piece of a line after it that a process left when it died. */
interface StoredEnd {
  readonly end: ChainEnd;
  readonly hasLineEnd: boolean;
  readonly torn: string | undefined;
}

/** @throws {TypeError} If the last whole line was changed: the chain has no end to continue at. */
function endOf(text: string): StoredEnd {
  const at = text.lastIndexOf("\n") + 1;
  const rest = text.slice(at);
  const whole = readLine(rest);
  if (whole !== undefined) return { end: whole, hasLineEnd: false, torn: undefined };
  const hasLineEnd = rest === "";
  const torn = hasLineEnd ? undefined : rest;
  if (at === 0) return { end: { n: 0, hash: GENESIS }, hasLineEnd, torn };
  const end = readLine(text.slice(text.lastIndexOf("\n", at - 2) + 1, at - 1));
  if (end !== undefined) return { end, hasLineEnd, torn };
  throw new TypeError(
    "Cannot continue the audit: its last line was changed; verify it, keep it, and begin another one",
  );
}
