/** What came back of a call, over each wire. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { actingAs, type Tool } from "./api.ts";
import {
  answerCall,
  answerRunning,
  currentWire,
  isStreamed,
  isWhole,
  linkTo,
  running,
  shownWire,
  stateOf,
} from "./call_state.ts";
import { copyForms } from "./copy_as.ts";
import { differenceOf } from "./differences.ts";
import { Files, splitFiles } from "./files.tsx";
import { hexDump } from "./grpc_web.ts";
import { Sign } from "./icon.tsx";
import { asSchema, type Json } from "./json_schema.ts";
import { Keys } from "./keys.tsx";
import { openQuestions } from "./mcp_session.ts";
import type { Outcome } from "./outcome.ts";
import { Pane } from "./pane.tsx";
import { QuestionForms } from "./question_forms.tsx";
import { shorten } from "./reading.ts";
import { save } from "./save.ts";
import { testCode } from "./test_code.ts";
import { ResultValue, visible } from "./value.tsx";
import { uiOf } from "./view_host.ts";
import { View } from "./view_pane.tsx";
import type { Exchange } from "./exchange.ts";
import { titleOf } from "./wires.ts";
import { counted } from "./words.ts";

const TABS = [["view", "View"], ["value", "Value"], ["bytes", "Bytes"]] as const;

/** The tab that was chosen last. Until another one is chosen beside a view, a tool with a view shows it. */
const tab = signal<typeof TABS[number][0]>("view");

export function Answer({ tool }: { readonly tool: Tool }): JSX.Element {
  const { exchanges, problem, args, wires } = stateOf(tool);
  const list = exchanges.value;
  const shown = list.find(({ wire }) => wire === shownWire.value) ?? list[0];
  const ended = shown?.isDone === true && stateOf(tool).sent === args.value ? shown.outcome : undefined;
  const done = list.filter(({ isDone }) => isDone);
  const { titles, text } = differenceOf(done.map(({ wire, outcome }) => ({ title: titleOf(wire), outcome })));
  return (
    <Pane title="Answer" actions={<CopyAs tool={tool.listing.name} args={args.value} outcome={ended} />}>
      <h3 id="answer-heading" tabIndex={-1} class="hidden" aria-live="polite">
        {shown === undefined ? "" : `${shown.outcome.kind}, ${shown.tookMs} ms`}
      </h3>
      {wires.value.length > 1 && (
        <div class="tabs" role="group" aria-label="Wires">
          {wires.value.map((wire) => (
            <WireTab
              key={wire}
              wire={wire}
              exchange={list.find((one) => one.wire === wire)}
              isShown={wire === shown?.wire}
              isOther={titles.includes(titleOf(wire))}
            />
          ))}
        </div>
      )}
      {text !== "" && <p class="warning" role="status">≠ {text}</p>}
      {problem.value !== "" && <p class="issue" role="alert">{problem.value}</p>}
      {shown === undefined
        ? problem.value === "" && (
          <p class="empty">
            Nothing was sent yet.{" "}
            <span class="keys">
              <Keys keys="mod ⏎" /> sends the call.
            </span>
          </p>
        )
        : <ExchangeView exchange={shown} tool={tool} />}
    </Pane>
  );
}

interface WireTabProps {
  readonly wire: string;
  /** Absent until the response begins. */
  readonly exchange: Exchange | undefined;
  readonly isShown: boolean;
  /** Whether its answer is not that of most wires. */
  readonly isOther: boolean;
}

function WireTab({ wire, exchange, isShown, isOther }: WireTabProps): JSX.Element {
  const waits = exchange === undefined ? running.value !== undefined : !exchange.isDone;
  const state = waits ? "running" : exchange?.outcome.kind ?? "error";
  return (
    <button
      type="button"
      disabled={exchange === undefined}
      aria-pressed={isShown}
      onClick={() => shownWire.value = wire}
    >
      <span class={state}>
        <Sign state={state} />
      </span>{" "}
      {titleOf(wire)} {isOther && <strong class="warning" title="Differs from most wires">≠</strong>}
      <span class="dim ms">{exchange === undefined ? "" : `${exchange.tookMs} ms`}</span>
    </button>
  );
}

function ExchangeView({ exchange, tool }: { readonly exchange: Exchange; readonly tool: Tool }): JSX.Element {
  const { outcome, status, tookMs, firstMs, isDone } = exchange;
  const { asked } = outcome;
  const open = openQuestions(exchange);
  const { resourceUri } = uiOf(tool);
  const hasView = typeof resourceUri === "string" && isDone && /^(answer|failure)$/.test(outcome.kind);
  const shown = tab.value === "view" && !hasView ? "value" : tab.value;
  return (
    <>
      <p class="facts">
        <span class={`state ${outcome.kind}`}>
          <Sign state={isDone ? outcome.kind : "running"} /> {isDone ? outcome.kind : "running"}
        </span>
        <span class="dim">HTTP {status} · {tookMs} ms · first byte {firstMs} ms</span>
        <span class="tabs small">
          {TABS.filter(([id]) => id !== "view" || hasView).map(([id, title]) => (
            <button
              key={id}
              type="button"
              aria-pressed={shown === id}
              onClick={() => tab.value = hasView || id === "bytes" ? id : "view"}
            >
              {title}
            </button>
          ))}
        </span>
      </p>
      {shown === "view" && (
        <View key={exchange.id} uri={String(resourceUri)} call={{ tool, args: stateOf(tool).sent, outcome }} />
      )}
      {shown === "bytes" && <Bytes exchange={exchange} />}
      {shown === "value" && (
        <>
          <Events exchange={exchange} />
          {open !== undefined && (
            <QuestionForms
              key={Object.values(open.ids).join()}
              asked={open.asked}
              before={stateOf(tool).answers}
              onAnswer={(responses) => void answerRunning(tool, exchange, open.ids, { asked: open.asked, responses })}
            />
          )}
          {asked === undefined || !isDone ? <Value value={outcome.value} tool={tool.listing.name} /> : (
            <QuestionForms
              key={exchange.id}
              asked={asked}
              before={stateOf(tool).answers}
              onAnswer={(responses) => void answerCall(tool, exchange, { asked, responses })}
            />
          )}
        </>
      )}
    </>
  );
}

/** A value, with its files before it. */
function Value({ value, tool }: { readonly value: unknown; readonly tool: string }): JSX.Element {
  const { files, rest } = splitFiles(value);
  return (
    <>
      {files.length > 0 && <Files files={files} tool={tool} />}
      <ResultValue value={rest} />
    </>
  );
}

/** What came before the end: messages of the log by themselves, and pieces and progress. */
function Events({ exchange: { events, isDone } }: { readonly exchange: Exchange }): JSX.Element {
  const logs = events.flatMap(({ atMs, data }) => logOf(atMs, data) ?? []);
  const others = events.filter(({ atMs, data }) => logOf(atMs, data) === undefined);
  return (
    <>
      {others.length > 0 && (
        <details open={!isDone}>
          <summary>{counted(others.length, "event")} before the end</summary>
          <ol class="events">
            {others.slice(-100).map(({ atMs, data }, index) => (
              <li key={index}>
                <span class="dim">{atMs} ms</span> <code>{JSON.stringify(data).slice(0, 400)}</code>
              </li>
            ))}
          </ol>
        </details>
      )}
      {logs.length > 0 && (
        <table class="log" aria-label="Log of the call">
          <tbody>
            {logs.slice(-200).map(({ atMs, level, text }, index) => (
              <tr key={index}>
                <td class="dim right">{atMs} ms</td>
                <td class={`level ${level}`}>{level}</td>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** A message that the handler logged, as MCP sends it. */
function logOf(atMs: number, event: unknown) {
  const { method, params } = asSchema(event);
  if (method !== "notifications/message") return undefined;
  const { level, data } = asSchema(params);
  const { message, ...fields } = asSchema(data);
  const words = typeof data === "string" ? [data] : typeof message === "string" ? [message] : [];
  const others = words.length === 0
    ? [JSON.stringify(data) ?? ""]
    : Object.keys(fields).length === 0
    ? []
    : [JSON.stringify(fields)];
  return { atMs, level: visible(String(level)), text: visible([...words, ...others].join(" ").slice(0, 2_000)) };
}

function Bytes({ exchange: { request, status, headers, text } }: { readonly exchange: Exchange }): JSX.Element {
  const sent = [
    `${request.method} ${request.url}`,
    ...Object.entries(request.headers).map(([name, value]) =>
      `${name}: ${name === "authorization" ? "Bearer …" : value}`
    ),
    "",
    typeof request.body === "string" ? request.body : hexDump(request.body),
  ].join("\n");
  const { shown, left } = shorten(
    [`HTTP ${status}`, ...headers.map(([name, value]) => `${name}: ${value}`), "", text].join("\n"),
  );
  return (
    <>
      <h4>Sent</h4>
      <pre class="bytes">{sent}</pre>
      <h4>Received</h4>
      <pre class="bytes">{shown}</pre>
      {left > 0 && <p class="dim">{counted(left, "more character")}</p>}
    </>
  );
}

const copied = signal("");
const SAVE = "Save as a test file";

interface CopyAsProps {
  readonly tool: string;
  readonly args: Json;
  /** How the call ended, if it was sent with these arguments. */
  readonly outcome: Outcome | undefined;
}

function CopyAs({ tool, args, outcome }: CopyAsProps): JSX.Element {
  return (
    <>
      <span class="dim" role="status">{copied.value}</span>
      <select
        aria-label="Copy the call as"
        value=""
        onChange={(event) => {
          const title = event.currentTarget.value;
          event.currentTarget.value = "";
          if (title === SAVE) save(`${tool.replaceAll(/[^\w-]/g, "_")}_test.ts`, testCode(tool, args, outcome));
          else void copy(title, tool, args, outcome);
        }}
      >
        <option value="">Copy as…</option>
        {[...copyForms().map(({ title }) => title), "Link", ...(actingAs.value === undefined ? [SAVE] : [])].map((
          title,
        ) => <option key={title}>{title}</option>)}
      </select>
    </>
  );
}

async function copy(title: string, tool: string, args: Json, outcome: Outcome | undefined): Promise<void> {
  const request = currentWire()?.request(tool, args, isStreamed.value);
  const form = copyForms().find((one) => one.title === title);
  const link = title === "Link" ? linkTo(tool, args) : undefined;
  const text = link === undefined
    ? request && form?.text(tool, args, request, outcome)
    : location.origin + location.pathname + link;
  if (text === undefined) return;
  await navigator.clipboard.writeText(text).then(
    () => copied.value = link === undefined || isWhole(link, args) ? `${title} copied` : "Link copied, without secrets",
    () => copied.value = "The browser does not allow copying",
  );
  setTimeout(() => copied.value = "", 2_000);
}
