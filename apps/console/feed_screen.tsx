/** The calls of all callers as they happen, with counts per tool. */
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { origin } from "./api.ts";
import { linkTo } from "./call_state.ts";
import { feedState, type KeptJson, lostEvents, passes, type Row, rows, stats, type ToolStats } from "./feed_store.ts";
import { Sign } from "./icon.tsx";
import { isObject, type Json } from "./json_schema.ts";
import { Pane } from "./pane.tsx";
import { go, route } from "./route.ts";
import { Clock, Time } from "./time.tsx";
import { ResultValue, visible } from "./value.tsx";
import { counted } from "./words.ts";

const filter = signal("");
const shownRows = computed(() => rows.value.filter((row) => passes(row, filter.value)));
/** Rows that are drawn: more are counted. */
const MAX_DRAWN = 200;

export function FeedScreen(): JSX.Element {
  const chosen = rows.value.find(({ seq }) => String(seq) === route.value.name);
  return (
    <div class={chosen === undefined ? "screen feed" : "screen feed chosen"}>
      <Pane title="Calls" actions={<State />}>
        <input
          id="filter"
          type="search"
          aria-label="Filter calls"
          placeholder="tool:add status:error >500ms by:ada -wire:mcp"
          value={filter.value}
          onInput={(event) => filter.value = event.currentTarget.value}
        />
        {rows.value.length === 0 ? <NoCalls /> : <CallTable chosen={chosen?.seq} />}
      </Pane>
      {chosen === undefined ? <Counts /> : <CallView row={chosen} />}
    </div>
  );
}

function State(): JSX.Element {
  const words = { live: "live", waiting: "connecting", paused: "paused" };
  return (
    <span class="dim" role="status">
      {lostEvents.value > 0 && `${counted(lostEvents.value, "event")} not shown · `}
      <span class={`dot ${feedState.value}`} /> {words[feedState.value]}
    </span>
  );
}

function NoCalls(): JSX.Element {
  return (
    <div class="empty">
      <p>No call yet. Calls of all callers appear here, over every wire. This one would be the first:</p>
      <pre>{`npx toolwire list ${origin.value}\nnpx toolwire call ${origin.value} <tool> key=value`}</pre>
    </div>
  );
}

function CallTable({ chosen }: { readonly chosen: number | undefined }): JSX.Element {
  const drawn = shownRows.value.slice(0, MAX_DRAWN);
  return (
    <>
      <table class="calls">
        <thead>
          <tr>
            <th scope="col">time</th>
            <th scope="col">tool</th>
            <th scope="col">wire</th>
            <th scope="col">result</th>
            <th scope="col" class="right">ms</th>
            <th scope="col">caller</th>
          </tr>
        </thead>
        <tbody>
          {drawn.map((row) => <CallRow key={row.seq} row={row} isChosen={row.seq === chosen} />)}
        </tbody>
      </table>
      {shownRows.value.length > drawn.length && (
        <p class="dim">{counted(shownRows.value.length - drawn.length, "older call")}</p>
      )}
      {drawn.length === 0 && <p class="dim">No call matches the filter.</p>}
    </>
  );
}

function CallRow({ row, isChosen }: { readonly row: Row; readonly isChosen: boolean }): JSX.Element {
  const { seq, atMs, tool, wire, status, code, tookMs, principal, progress, attempt } = row;
  const share = progress?.total === undefined ? undefined : Math.min(1, progress.done / progress.total);
  return (
    <tr class={isChosen ? "chosen" : ""} onClick={() => go("feed", String(seq))}>
      <td class="dim">
        <Clock atMs={atMs} />
      </td>
      <td class="word">
        <a href={`#/feed/${seq}`}>{visible(tool)}</a>
        {attempt !== undefined && <span class="mark">attempt {attempt}</span>}
        {status === "running" && share !== undefined && <progress value={share} aria-label={`progress of ${tool}`} />}
      </td>
      <td class="fit">{wire}</td>
      <td class="word">
        <span class={`state ${status}`} title={code}>
          <Sign state={status} /> {code === "" ? status : code}
        </span>
      </td>
      <td class="right">{tookMs === undefined ? "" : formatMs(tookMs)}</td>
      <td class="dim word">{principal}</td>
    </tr>
  );
}

function Counts(): JSX.Element {
  return (
    <Pane title="Tools by calls">
      {stats.value.length === 0 ? <p class="empty">Counts begin with the first call.</p> : (
        <table class="counts">
          <thead>
            <tr>
              <th scope="col">tool</th>
              <th scope="col" class="right">calls</th>
              <th scope="col" class="right">errors</th>
              <th scope="col" class="right">p50</th>
              <th scope="col" class="right">p95</th>
              <th scope="col" class="right">p99</th>
              <th scope="col">last minute</th>
            </tr>
          </thead>
          <tbody>{stats.value.slice(0, 100).map((tool) => <CountRow key={tool.tool} stats={tool} />)}</tbody>
        </table>
      )}
      <p class="dim">Of this process since its start; other replicas have their own.</p>
    </Pane>
  );
}

function CountRow(
  { stats: { tool, calls, errors, p50, p95, p99, perSecond } }: { readonly stats: ToolStats },
): JSX.Element {
  return (
    <tr>
      <td class="word">
        <a href={`#/tools/${encodeURIComponent(tool)}`}>{visible(tool)}</a>
      </td>
      <td class="right">{calls}</td>
      <td class={errors > 0 ? "right state error" : "right"}>{errors}</td>
      <td class="right">{formatMs(p50)}</td>
      <td class="right">{formatMs(p95)}</td>
      <td class="right">{formatMs(p99)}</td>
      <td>
        <Sparkline values={perSecond} label={`${tool}: ${perSecond.at(-1) ?? 0} calls in the last second`} />
      </td>
    </tr>
  );
}

function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }): JSX.Element {
  const most = Math.max(1, ...values);
  const points = values.map((value, at) => `${at * 2},${20 - value / most * 18}`).join(" ");
  return (
    <svg class="spark" viewBox="0 0 118 21" role="img" aria-label={label}>
      <polyline points={points} />
    </svg>
  );
}

function CallView({ row }: { readonly row: Row }): JSX.Element {
  const { seq, atMs, tool, wire, status, code, message, correlationId, stack, tookMs, principal, args, value, events } =
    row;
  const parsed = parse(args);
  const facts = [wire, principal, tookMs === undefined ? "" : `${formatMs(tookMs)} ms`];
  return (
    <Pane
      title={`Call ${seq}`}
      back={{ screen: "feed", title: "Calls" }}
      actions={
        <button type="button" class="close" onClick={() => go("feed")}>
          Close <kbd>Esc</kbd>
        </button>
      }
    >
      <h1>{visible(tool)}</h1>
      <p class="facts">
        <span class={`state ${status}`}>
          <Sign state={status} /> {status}
        </span>
        {facts.filter((fact) => fact !== "").map((fact) => <span key={fact} class="dim">{fact}</span>)}
        <Time atMs={atMs} />
      </p>
      {code !== "" && (
        <p>
          <code>{code}</code> {visible(message)}
        </p>
      )}
      {correlationId !== undefined && (
        <p class="dim">
          The caller does not see the error itself. The log of the server has it under <code>{correlationId}</code>.
        </p>
      )}
      {stack !== undefined && (
        <>
          <h3>Error</h3>
          <pre>{visible(stack)}</pre>
        </>
      )}
      <Kept title="Arguments" kept={args} />
      {isObject(parsed) && (
        <p>
          <a href={linkTo(tool, parsed)}>Open in the editor</a>
        </p>
      )}
      {events.length > 0 && (
        <>
          <h3>Events</h3>
          <ol class="events">
            {events.map((event) => (
              <li key={event.seq}>
                <span class="dim">+{event.atMs - atMs} ms</span> {event.kind}{" "}
                <code>
                  {event.progress === undefined
                    ? event.value?.json.slice(0, 400)
                    : `${event.progress.done}/${event.progress.total ?? "?"} ${event.progress.message ?? ""}`}
                </code>
              </li>
            ))}
          </ol>
        </>
      )}
      <Kept title={status === "answer" ? "Answer" : "Data"} kept={value} />
      {args === undefined && (
        <p class="dim">Arguments and results are kept only while a page watches. Secrets are replaced.</p>
      )}
    </Pane>
  );
}

function Kept({ title, kept }: { readonly title: string; readonly kept: KeptJson | undefined }): JSX.Element | null {
  if (kept === undefined) return null;
  return (
    <>
      <h3>{title}</h3>
      <ResultValue value={parse(kept) ?? kept.json} />
      {kept.cut !== undefined && <p class="dim">Not kept: {counted(kept.cut, "more character")}.</p>}
    </>
  );
}

function parse(kept: KeptJson | undefined): Json | undefined {
  if (kept === undefined || kept.cut !== undefined) return undefined;
  return JSON.parse(kept.json) as Json;
}

function formatMs(ms: number): string {
  if (ms < 10) return ms.toFixed(ms < 1 ? 2 : 1);
  return ms < 10_000 ? ms.toFixed(0) : `${(ms / 1_000).toFixed(1)} s`;
}
