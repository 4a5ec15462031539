/** The tools: list, arguments, and the answer of each wire. */
import { effect, type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { check, hiddenTools, type Issue, type Tool, tools } from "./api.ts";
import { COPY_FORMS } from "./copy_as.ts";
import { ArgumentForm, JsonField, Pane } from "./editor.tsx";
import { first, isObject, type Json, start } from "./json_schema.ts";
import { Icon, Sign } from "./icon.tsx";
import { go, route } from "./route.ts";
import { ResultValue, visible } from "./value.tsx";
import { type CallableWire, callableWires, canonical, type Exchange, send, shorten } from "./wires.ts";

/** State of the screen of one tool, kept while another tool is shown. */
interface ToolState {
  readonly args: Signal<Json>;
  readonly issues: Signal<readonly Issue[]>;
  readonly exchanges: Signal<readonly Exchange[]>;
  readonly problem: Signal<string>;
}

const states = new Map<string, ToolState>();
const filter = signal("");
const isJson = signal(false);
const isStreamed = signal(true);
const wireId = signal("");
const shownWire = signal("");
const running = signal<AbortController | undefined>(undefined);
const tab = signal<"value" | "bytes">("value");

function stateOf(tool: Tool): ToolState {
  const { name, inputSchema } = tool.listing;
  let state = states.get(name);
  if (state === undefined) {
    state = {
      args: signal(argsOfRoute() ?? start(inputSchema, inputSchema)),
      issues: signal([]),
      exchanges: signal([]),
      problem: signal(""),
    };
    states.set(name, state);
  }
  return state;
}

/** Arguments of a link. A link fills in, and never sends. */
function argsOfRoute(): Json | undefined {
  const text = route.value.query.get("args");
  try {
    return text === null
      ? undefined
      : JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)))) as Json;
  } catch {
    return undefined;
  }
}

/** A link to a tool that was shown before fills in, too. */
effect(() => {
  const given = argsOfRoute();
  const state = states.get(route.value.name);
  if (given === undefined || state === undefined) return;
  state.args.value = given;
  state.issues.value = [];
});

export function linkTo(name: string, args: Json): string {
  const bytes = new TextEncoder().encode(JSON.stringify(args));
  return `#/tools/${encodeURIComponent(name)}?args=${encodeURIComponent(btoa(String.fromCharCode(...bytes)))}`;
}

function currentWire(): CallableWire | undefined {
  const wires = callableWires();
  return wires.find(({ id }) => id === wireId.value) ?? wires[0];
}

async function call(tool: Tool, wires: readonly CallableWire[]): Promise<void> {
  const state = stateOf(tool);
  const { name } = tool.listing;
  const controller = new AbortController();
  running.value?.abort();
  running.value = controller;
  state.exchanges.value = [];
  state.problem.value = "";
  shownWire.value = wires[0]?.id ?? "";
  void check(name, state.args.value).then((issues) => state.issues.value = issues);
  const show = (exchange: Exchange) => {
    if (controller.signal.aborted) return;
    const others = state.exchanges.value.filter(({ wire }) => wire !== exchange.wire);
    state.exchanges.value = [...others, exchange];
  };
  await Promise.all(wires.map(async (wire) => {
    const request = wire.request(name, state.args.value, isStreamed.value);
    if (request === undefined) return;
    try {
      show(await send(wire, request, controller.signal, show));
    } catch (thrown) {
      // A later call has taken the place of this one.
      if (running.value !== undefined && running.value !== controller) return;
      state.problem.value = controller.signal.aborted
        ? "Cancelled."
        : `The request failed: ${(thrown as Error).message}`;
    }
  }));
  if (running.value !== undefined && running.value !== controller) return;
  running.value = undefined;
  document.querySelector<HTMLElement>("#answer-heading")?.focus();
}

export function cancelCall(): boolean {
  const isRunning = running.value !== undefined;
  running.value?.abort();
  running.value = undefined;
  return isRunning;
}

export function sendCurrent(onAll: boolean): void {
  const tool = tools.value.find(({ listing }) => listing.name === route.value.name);
  const wire = currentWire();
  if (tool !== undefined && wire !== undefined) void call(tool, onAll ? callableWires() : [wire]);
}

export function ToolsScreen(): JSX.Element {
  const tool = tools.value.find(({ listing }) => listing.name === route.value.name);
  return (
    <div class={tool === undefined ? "screen tools" : "screen tools chosen"}>
      <ToolList chosen={tool?.listing.name} />
      {tool === undefined ? <NoTool /> : (
        <>
          <Arguments tool={tool} key={tool.listing.name} />
          <Answer tool={tool} />
        </>
      )}
    </div>
  );
}

function NoTool(): JSX.Element {
  if (tools.value.length > 0) {
    return (
      <div class="empty wide">
        <p>
          Choose a tool, or press <kbd>/</kbd> to search.
        </p>
      </div>
    );
  }
  const example = `const add = defineTool("add")
  .describe("Add two numbers")
  .input(object({ a: number(), b: number() }))
  .handle(({ a, b }) => a + b);

const server = createServer({ tools: [add], wires: [mcp(), consolePage()] });`;
  return (
    <div class="empty wide">
      <h2>
        {hiddenTools.value > 0
          ? `${hiddenTools.value} tools are hidden from this caller`
          : "This server has no tools yet"}
      </h2>
      {hiddenTools.value === 0 && <pre>{example}</pre>}
    </div>
  );
}

function ToolList({ chosen }: { readonly chosen: string | undefined }): JSX.Element {
  const words = filter.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const shown = tools.value.filter(({ listing: { name, description } }) => {
    const text = `${name} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <nav class="list" aria-label="Tools">
      <input
        id="filter"
        type="search"
        placeholder="Search tools  /"
        aria-label="Search tools"
        value={filter.value}
        onInput={(event) => filter.value = event.currentTarget.value}
      />
      <ul>
        {shown.map((tool) => <ToolEntry key={tool.listing.name} tool={tool} isChosen={tool.listing.name === chosen} />)}
      </ul>
      {shown.length === 0 && tools.value.length > 0 && <p class="dim">No tool matches.</p>}
      {hiddenTools.value > 0 && <p class="dim">{hiddenTools.value} hidden from this caller</p>}
    </nav>
  );
}

function ToolEntry({ tool, isChosen }: { readonly tool: Tool; readonly isChosen: boolean }): JSX.Element {
  const { name, description } = tool.listing;
  return (
    <li>
      <a href={`#/tools/${encodeURIComponent(name)}`} aria-current={isChosen ? "true" : undefined}>
        <span class="tool-name">
          {name} <Marks tool={tool} />
        </span>
        <span class="dim one-line">{visible(description)}</span>
      </a>
    </li>
  );
}

function Marks({ tool }: { readonly tool: Tool }): JSX.Element {
  const { annotations = {} } = tool.listing;
  return (
    <>
      {tool.promises !== undefined && (
        <span class="mark promise" title={`promises: ${tool.promises}`}>
          <Icon name="promise" size={10} />
        </span>
      )}
      {annotations["readOnlyHint"] === true && <span class="mark" title="reads only">ro</span>}
      {annotations["destructiveHint"] === true && <span class="mark bad" title="may destroy">!</span>}
      {tool.scopes.length > 0 && (
        <span class="mark" title={`scopes: ${tool.scopes.join(", ")}`}>
          <Icon name="scope" size={10} />
        </span>
      )}
      {!tool.isListed && <span class="mark" title="found by search only">search</span>}
    </>
  );
}

function Arguments({ tool }: { readonly tool: Tool }): JSX.Element {
  const { name, description, inputSchema, title } = tool.listing;
  const state = stateOf(tool);
  const change = (args: Json) => {
    state.args.value = args;
    state.issues.value = [];
  };
  const wires = callableWires();
  const actions = (
    <>
      <button type="button" aria-pressed={isJson.value} onClick={() => isJson.value = !isJson.value}>
        {isJson.value ? "Form" : "JSON"}
      </button>
      <button
        type="button"
        onClick={() => change(isObject(first(inputSchema, inputSchema)) ? first(inputSchema, inputSchema) : {})}
      >
        Fill required
      </button>
    </>
  );
  return (
    <Pane title="Arguments" actions={actions}>
      <button type="button" class="back" onClick={() => go("tools")}>← Tools</button>
      <h1>{name}</h1>
      {title !== undefined && title !== name && <p>{visible(title)}</p>}
      <p class="description">{visible(description)}</p>
      <p class="dim facts">{factsOf(tool)}</p>
      {isJson.value
        ? <JsonField value={state.args.value} label="arguments" rows={8} onChange={change} />
        : <ArgumentForm schema={inputSchema} value={state.args.value} issues={state.issues.value} onChange={change} />}
      <div class="send">
        <select
          aria-label="Wire"
          value={currentWire()?.id}
          onChange={(event) => wireId.value = event.currentTarget.value}
        >
          {wires.map((wire) => <option key={wire.id} value={wire.id}>{wire.title}</option>)}
        </select>
        {running.value === undefined
          ? (
            <button type="button" class="primary" onClick={() => sendCurrent(false)}>
              Send <kbd>⌘⏎</kbd>
            </button>
          )
          : (
            <button type="button" class="primary" onClick={cancelCall}>
              Cancel <kbd>Esc</kbd>
            </button>
          )}
        {wires.length > 1 && <button type="button" onClick={() => sendCurrent(true)}>On all wires</button>}
        <label>
          <input
            type="checkbox"
            checked={isStreamed.value}
            onChange={(event) => isStreamed.value = event.currentTarget.checked}
          />{" "}
          stream
        </label>
      </div>
    </Pane>
  );
}

function titleOf(id: string): string {
  return callableWires().find((wire) => wire.id === id)?.title ?? id;
}

function factsOf({ tokens, chars, timeoutMs, scopes, promises, revision }: Tool): string {
  return [
    `about ${tokens} tokens in the list (${chars} characters)`,
    timeoutMs === undefined ? "" : `limit ${timeoutMs} ms`,
    scopes.length === 0 ? "" : `scopes ${scopes.join(", ")}`,
    promises === undefined ? "" : `promises: ${promises}`,
    revision === undefined ? "" : `revision ${revision}`,
  ].filter((fact) => fact !== "").join(" · ");
}

function Answer({ tool }: { readonly tool: Tool }): JSX.Element {
  const { exchanges, problem, args } = stateOf(tool);
  const list = exchanges.value;
  const shown = list.find(({ wire }) => wire === shownWire.value) ?? list[0];
  const differs = new Set(list.filter(({ isDone }) => isDone).map(({ outcome }) => canonical(outcome.value))).size > 1;
  return (
    <Pane title="Answer" actions={<CopyAs tool={tool.listing.name} args={args.value} />}>
      <h3 id="answer-heading" tabIndex={-1} class="hidden" aria-live="polite">
        {shown === undefined ? "" : `${shown.outcome.kind}, ${shown.tookMs} ms`}
      </h3>
      {list.length > 1 && (
        <div class="tabs" role="group" aria-label="Wires">
          {list.map(({ wire, outcome, tookMs, isDone }) => (
            <button
              type="button"
              key={wire}
              aria-pressed={wire === shown?.wire}
              onClick={() => shownWire.value = wire}
            >
              <span class={isDone ? outcome.kind : "running"}>
                <Sign state={isDone ? outcome.kind : "running"} />
              </span>{" "}
              {titleOf(wire)} <span class="dim">{tookMs} ms</span>
            </button>
          ))}
        </div>
      )}
      {differs && <p class="dim">The wires answer in different forms.</p>}
      {problem.value !== "" && <p class="issue" role="alert">{problem.value}</p>}
      {shown === undefined
        ? problem.value === "" && (
          <p class="empty">
            Nothing was sent yet. <kbd>Ctrl</kbd>+<kbd>⏎</kbd> sends the call.
          </p>
        )
        : <ExchangeView exchange={shown} />}
    </Pane>
  );
}

function ExchangeView({ exchange }: { readonly exchange: Exchange }): JSX.Element {
  const { outcome, status, tookMs, firstMs, events, isDone } = exchange;
  return (
    <>
      <p class="facts">
        <span class={`state ${outcome.kind}`}>
          <Sign state={isDone ? outcome.kind : "running"} /> {isDone ? outcome.kind : "running"}
        </span>
        <span class="dim">HTTP {status} · {tookMs} ms · first byte {firstMs} ms</span>
        <span class="tabs small">
          <button type="button" aria-pressed={tab.value === "value"} onClick={() => tab.value = "value"}>Value</button>
          <button type="button" aria-pressed={tab.value === "bytes"} onClick={() => tab.value = "bytes"}>Bytes</button>
        </span>
      </p>
      {tab.value === "bytes" ? <Bytes exchange={exchange} /> : (
        <>
          {events.length > 0 && (
            <details open={!isDone}>
              <summary>{events.length} events before the end</summary>
              <ol class="events">
                {events.slice(-100).map(({ atMs, data }, index) => (
                  <li key={index}>
                    <span class="dim">{atMs} ms</span> <code>{JSON.stringify(data).slice(0, 400)}</code>
                  </li>
                ))}
              </ol>
            </details>
          )}
          <ResultValue value={outcome.value} />
        </>
      )}
    </>
  );
}

function Bytes({ exchange: { request, status, headers, text } }: { readonly exchange: Exchange }): JSX.Element {
  const sent = [
    `${request.method} ${request.url}`,
    ...Object.entries(request.headers).map(([name, value]) =>
      `${name}: ${name === "authorization" ? "Bearer …" : value}`
    ),
    "",
    request.body,
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
      {left > 0 && <p class="dim">{left} more characters</p>}
    </>
  );
}

const copied = signal("");

function CopyAs({ tool, args }: { readonly tool: string; readonly args: Json }): JSX.Element {
  const copy = async (title: string) => {
    const request = currentWire()?.request(tool, args, isStreamed.value);
    const form = COPY_FORMS.find((one) => one.title === title);
    const text = title === "Link"
      ? location.origin + location.pathname + linkTo(tool, args)
      : request && form?.text(tool, args, request);
    if (text === undefined) return;
    await navigator.clipboard.writeText(text).then(
      () => copied.value = `${title} copied`,
      () => copied.value = "The browser does not allow copying",
    );
    setTimeout(() => copied.value = "", 2_000);
  };
  return (
    <>
      <span class="dim" role="status">{copied.value}</span>
      <select
        aria-label="Copy the call as"
        value=""
        onChange={(event) => {
          void copy(event.currentTarget.value);
          event.currentTarget.value = "";
        }}
      >
        <option value="">Copy as…</option>
        {[...COPY_FORMS.map(({ title }) => title), "Link"].map((title) => <option key={title}>{title}</option>)}
      </select>
    </>
  );
}
