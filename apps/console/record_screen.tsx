/** Recordings: calls of all callers as a file, and a file as calls of this server. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { readRecording, type Recording } from "../../src/inspection/recording/recording.ts";
import type { ReplayedCall } from "../../src/inspection/recording/replay_calls.ts";
import { ask, hello, tools } from "./api.ts";
import { Pane } from "./pane.tsx";
import { save } from "./save.ts";
import { Time } from "./time.tsx";
import { visible } from "./value.tsx";
import { counted } from "./words.ts";

interface RecordingState {
  readonly isOn: boolean;
  readonly calls: number;
  readonly chars: number;
  readonly limit?: "size" | "time";
}

interface ChosenRecording extends Recording {
  readonly label: string;
  readonly text: string;
}

const state = signal<RecordingState | undefined>(undefined);
const chosen = signal<ChosenRecording | undefined>(undefined);
const replayed = signal<readonly ReplayedCall[] | "running" | undefined>(undefined);
const problem = signal("");

async function change(input: { readonly on?: boolean } = {}): Promise<void> {
  state.value = await ask<RecordingState>("record", input) ?? state.value;
}

async function textOfRecording(): Promise<string> {
  return (await ask<{ text: string }>("recording"))?.text ?? "";
}

function choose(label: string, text: string): void {
  replayed.value = undefined;
  problem.value = "";
  chosen.value = undefined;
  try {
    chosen.value = { ...readRecording(text), label, text };
  } catch (thrown) {
    problem.value = `${label}: ${(thrown as Error).message}`;
  }
}

async function replay(text: string): Promise<void> {
  replayed.value = "running";
  replayed.value = (await ask<{ calls: ReplayedCall[] }>("replay", { recording: text }))?.calls;
}

export function RecordScreen(): JSX.Element {
  const isReady = hello.value !== undefined;
  useEffect(() => {
    if (isReady) void change();
  }, [isReady]);
  useEffect(() => {
    if (state.value?.isOn !== true) return;
    const timer = setInterval(() => void change(), 1_000);
    return () => clearInterval(timer);
  }, [state.value?.isOn]);
  const { isOn = false, calls = 0, chars = 0, limit } = state.value ?? {};
  const name = `${hello.value?.name ?? "calls"}.ndjson`;
  return (
    <div class="screen feed flow">
      <Pane title="Record">
        <p>
          A recording has the calls of all callers of this process, with their results. Secrets are replaced. It ends
          after 10 minutes, or at 16 Mi characters.
        </p>
        <p class="facts">
          <button type="button" class={isOn ? "" : "primary"} onClick={() => void change({ on: !isOn })}>
            {isOn ? "Stop" : "Record"}
          </button>
          <span role="status">
            <span class={`dot ${isOn ? "recording" : "off"}`} /> {isOn ? "recording" : "not recording"},{" "}
            {counted(calls, "call")}, {counted(chars, "character")}
            {limit !== undefined && `; the limit of ${limit} ended it`}
          </span>
        </p>
        {chars > 0 && (
          <p class="facts">
            <button type="button" onClick={() => void textOfRecording().then((text) => save(name, text))}>
              Save as a file
            </button>
            <button type="button" onClick={() => void textOfRecording().then((text) => choose("this recording", text))}>
              Replay it
            </button>
          </p>
        )}
      </Pane>
      <Pane title="Replay">
        <p>Replay sends recorded calls to this server again, and compares their results.</p>
        <label class="stack">
          Recording, also of <code>toolwire record</code>
          <input
            type="file"
            accept=".ndjson,.jsonl,.json"
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              if (file !== undefined) void file.text().then((text) => choose(file.name, text));
            }}
          />
        </label>
        {problem.value !== "" && <p class="issue" role="alert">{visible(problem.value)}</p>}
        {chosen.value !== undefined && <Chosen recording={chosen.value} />}
      </Pane>
    </div>
  );
}

function Chosen({ recording: { label, text, head, calls } }: { readonly recording: ChosenRecording }): JSX.Element {
  const readOnly = new Set(
    tools.value.filter(({ listing }) => listing.annotations?.["readOnlyHint"] === true).map(({ listing }) =>
      listing.name
    ),
  );
  const changing = calls.filter(({ tool }) => !readOnly.has(tool)).length;
  const results = replayed.value;
  return (
    <>
      <h3>{visible(label)}</h3>
      <p>
        {counted(calls.length, "call")} of {visible(head.server.name)}, <Time atMs={Date.parse(head.at)} />
        {changing > 0 && (
          <span class="warning">
            . {changing} of them may change something: {changing === 1 ? "its tool is" : "their tools are"}{" "}
            not read-only.
          </span>
        )}
      </p>
      <button
        type="button"
        class="primary"
        disabled={results === "running" || calls.length === 0}
        onClick={() => void replay(text)}
      >
        {results === "running" ? "Sending…" : `Send ${counted(calls.length, "call")}`}
      </button>
      {Array.isArray(results) && <Replayed calls={results} />}
    </>
  );
}

const SIGNS = { same: "✓", different: "✕", skipped: "⊘" } as const;
const CLASSES = { same: "answer", different: "error", skipped: "dim" } as const;

function Replayed({ calls }: { readonly calls: readonly ReplayedCall[] }): JSX.Element {
  const same = calls.filter(({ status }) => status === "same").length;
  return (
    <>
      <p role="status">{same} of {calls.length} have the same result.</p>
      <table class="counts">
        <thead>
          <tr>
            <th scope="col">call</th>
            <th scope="col">tool</th>
            <th scope="col">result</th>
            <th scope="col">differences</th>
          </tr>
        </thead>
        <tbody>
          {calls.slice(0, 500).map(({ n, tool, status, reason, differences }) => (
            <tr key={n}>
              <td>{n}</td>
              <td class="word">{visible(tool)}</td>
              <td class={`fit ${CLASSES[status]}`}>{SIGNS[status]} {status}</td>
              <td>
                {reason}
                {differences.slice(0, 5).map(({ path, recorded, now }) => (
                  <div key={path}>
                    <code>{visible(`${path}: ${textOf(recorded)} → ${textOf(now)}`)}</code>
                  </div>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function textOf(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value).slice(0, 200);
}
