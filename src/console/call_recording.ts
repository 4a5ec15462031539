/** Recordings of the calls of all callers, within bounds, and their replay on the same server. */
import type { CallResult, ErrorResult } from "../core/call/outcome.ts";
import { decodeCallMeta } from "../core/call/call_meta.ts";
import { monitorFromSignal } from "../core/call/time_limit.ts";
import type { Transport } from "../core/call/transport.ts";
import { Recorder, type RecorderOptions } from "../inspection/recording/recorder.ts";
import { readRecording } from "../inspection/recording/recording.ts";
import { replayCalls, type ReplayedCall } from "../inspection/recording/replay_calls.ts";
import type { BegunCall } from "../core/dispatch/observer.ts";
import type { Clock } from "../internal/time.ts";
import type { Head, WireHost } from "../wires/wire.ts";
import { ConsolePeer } from "./console_peer.ts";

/** Length of a recording, in UTF-16 code units, and its time in milliseconds. */
const MAX_CHARS = 16_777_216;
const MAX_MS = 600_000;

/** State of a recording, for the page. */
export interface RecordingState {
  readonly isOn: boolean;
  readonly calls: number;
  readonly chars: number;
  /** The limit that ended it; `undefined` if it was stopped, or is not over. */
  readonly limit?: "size" | "time" | undefined;
}

/** Records the calls of a server, one recording at a time: at most 16 Mi characters and ten minutes. The last one is kept until the next. */
export class CallRecording {
  readonly #clock: Clock;
  #lines: string[] = [];
  #chars = 0;
  #calls = 0;
  #startedMs = 0;
  #limit: RecordingState["limit"];
  #session = { isOpen: false };
  #recorder: Recorder | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a call, if a recording is on. Returns the function that takes its result; `undefined` if the call is not recorded. */
  begin(begun: BegunCall): ((result: CallResult) => void) | undefined {
    const { call, definition: schemas } = begun;
    const { name } = schemas;
    const recorder = this.#openRecorder();
    if (recorder === undefined) return undefined;
    const end = guarded(() => recorder.begin({ call, name, schemas, onEvent: (listener) => begun.onEvent(listener) }));
    return end && ((result) => guarded(() => end(result)));
  }

  get isOn(): boolean {
    return this.#openRecorder() !== undefined;
  }

  get state(): RecordingState {
    return { isOn: this.isOn, calls: this.#calls, chars: this.#chars, limit: this.#limit };
  }

  /** The lines of the current or last recording; empty without one. */
  get text(): string {
    return this.#lines.join("");
  }

  start(options: Omit<RecorderOptions, "write" | "onCall">): void {
    this.#end(undefined);
    this.#lines = [];
    this.#chars = this.#calls = 0;
    this.#startedMs = this.#clock.elapsed();
    // A call that ends after its recording is not part of it.
    const session = this.#session = { isOpen: true };
    this.#recorder = new Recorder({
      ...options,
      write: (line) => void (session.isOpen && this.#add(line)),
      onCall: () => void (session.isOpen && this.#calls++),
    });
  }

  stop(): void {
    this.#end(undefined);
  }

  /** `undefined` if there is no recording, or if it has reached a limit. */
  #openRecorder(): Recorder | undefined {
    if (this.#recorder !== undefined && this.#clock.elapsed() - this.#startedMs > MAX_MS) this.#end("time");
    return this.#recorder;
  }

  #add(line: string): void {
    if (this.#chars + line.length > MAX_CHARS) return this.#end("size");
    this.#lines.push(line);
    this.#chars += line.length;
  }

  #end(limit: RecordingState["limit"]): void {
    this.#session.isOpen = false;
    this.#recorder?.close();
    this.#recorder = undefined;
    this.#limit = limit;
  }
}

/** A result that is not JSON is refused by its wire, and is not recorded. */
function guarded<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/**
 * Sends the calls of a recording again, as the caller of the console, and compares their results.
 *
 * @throws {TypeError} If the text is not a recording.
 */
export async function replay(text: string, host: WireHost, head: Head): Promise<readonly ReplayedCall[]> {
  const recording = readRecording(text);
  const transport: Pick<Transport, "call"> = {
    async call({ tool, args, meta: members }, sink) {
      const meta = members === undefined ? undefined : decodeCallMeta(members);
      if (meta !== undefined && "kind" in meta) return meta satisfies ErrorResult;
      const peer = new ConsolePeer(head, head.principal, sink !== undefined);
      return await host.dispatch.call({ tool, args, meta, peer }, sink);
    },
  };
  const replayed: ReplayedCall[] = [];
  const limit = monitorFromSignal(head.signal ?? new AbortController().signal);
  for await (const call of replayCalls(recording, transport, { ignore: [], limited: (work) => work(limit) })) {
    if (limit.signal.aborted) break;
    replayed.push(call);
  }
  return replayed;
}
