/** The calls that the page makes: arguments of each tool, the chosen wire, and what came back. */
import { effect, type Signal, signal } from "@preact/signals";
import { actingAs, check, type Issue, type Tool, tools } from "./api.ts";
import { type Json, start } from "./json_schema.ts";
import type { Outcome } from "./outcome.ts";
import { answerOpen, cancelInSession, hasLostSession, type Ids, inSession } from "./mcp_session.ts";
import type { Answered } from "./questions.ts";
import { route } from "./route.ts";
import { withoutSecrets } from "./secrets.ts";
import type { CallableWire, Exchange, WireRequest } from "./exchange.ts";
import { callableWires, send } from "./wires.ts";

/** State of the screen of one tool, kept while another tool is shown. */
export interface ToolState {
  readonly args: Signal<Json>;
  readonly issues: Signal<readonly Issue[]>;
  readonly exchanges: Signal<readonly Exchange[]>;
  /** Ids of the wires of the last call, in the order of the wires. */
  readonly wires: Signal<readonly string[]>;
  readonly problem: Signal<string>;
  /** Arguments of the last call: a call that asked is repeated with the same ones. */
  sent: Json;
  /** The last answers to questions of the call. */
  answers: Answered["responses"];
}

const states = new Map<string, ToolState>();
export const isStreamed = signal(true);
export const wireId = signal("");
export const shownWire = signal("");
export const running = signal<AbortController | undefined>(undefined);
export function stateOf(tool: Tool): ToolState {
  const { name, inputSchema } = tool.listing;
  let state = states.get(name);
  if (state === undefined) {
    state = {
      args: signal(argsOfRoute() ?? start(inputSchema, inputSchema)),
      issues: signal([]),
      exchanges: signal([]),
      wires: signal([]),
      problem: signal(""),
      sent: {},
      answers: {},
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

/** Answers to another caller are removed when the caller changes. */
let answered = actingAs.value;
effect(() => {
  if (actingAs.value === answered) return;
  answered = actingAs.value;
  for (const { exchanges, wires } of states.values()) exchanges.value = wires.value = [];
});

/** A link that fills in the arguments, without secrets: addresses stay in histories and logs. */
export function linkTo(name: string, args: Json): string {
  const { inputSchema = {} } = tools.value.find(({ listing }) => listing.name === name)?.listing ?? {};
  return `#/tools/${encodeURIComponent(name)}?args=${encodeArgs(withoutSecrets(args, inputSchema))}`;
}

/** Whether a link has all of the arguments. */
export function isWhole(link: string, args: Json): boolean {
  return link.endsWith(`=${encodeArgs(args)}`);
}

function encodeArgs(args: Json): string {
  const bytes = new TextEncoder().encode(JSON.stringify(args));
  return encodeURIComponent(btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")));
}

export function currentWire(): CallableWire | undefined {
  const wires = callableWires();
  return wires.find(({ id }) => id === wireId.value) ?? wires[0];
}

async function call(tool: Tool, wires: readonly CallableWire[]): Promise<void> {
  const state = stateOf(tool);
  state.exchanges.value = [];
  state.wires.value = wires.map(({ id }) => id);
  state.sent = state.args.value;
  shownWire.value = wires[0]?.id ?? "";
  void check(tool.listing.name, state.sent).then((issues) => state.issues.value = issues);
  await sendOn(tool, wires);
}

/** Repeats a call that asked, with the answers, on the same wire. */
export async function answerCall(tool: Tool, { wire: id }: Exchange, answered: Answered): Promise<void> {
  stateOf(tool).answers = answered.responses;
  const wires = callableWires().filter((wire) => wire.id === id);
  if (wires.length === 0) stateOf(tool).problem.value = "The caller has changed: send the call again.";
  else await sendOn(tool, wires, answered);
}

async function sendOn(tool: Tool, wires: readonly CallableWire[], answered?: Answered): Promise<void> {
  const state = stateOf(tool);
  const controller = new AbortController();
  running.value?.abort();
  running.value = controller;
  state.problem.value = "";
  const show = (exchange: Exchange) => {
    if (controller.signal.aborted) return;
    const others = state.exchanges.value.filter(({ wire }) => wire !== exchange.wire);
    state.exchanges.value = [...others, exchange];
  };
  await Promise.all(wires.map(async (wire) => {
    const request = wire.request(tool.listing.name, state.sent, isStreamed.value, answered);
    if (request === undefined) return;
    try {
      const exchange = await sendOnce(wire, request, controller.signal, show);
      show(hasLostSession(exchange) ? await sendOnce(wire, request, controller.signal, show) : exchange);
    } catch (thrown) {
      // A later call has taken the place of this one.
      if (running.value !== undefined && running.value !== controller) return;
      const message = controller.signal.aborted ? "Cancelled." : `The request failed: ${(thrown as Error).message}`;
      state.problem.value = message;
      const outcome: Outcome = { kind: "error", value: { code: "unavailable", message } };
      state.exchanges.value = state.exchanges.value.map((one) =>
        one.wire === wire.id && !one.isDone ? { ...one, isDone: true, outcome } : one
      );
    }
  }));
  if (running.value !== undefined && running.value !== controller) return;
  running.value = undefined;
  document.querySelector<HTMLElement>("#answer-heading")?.focus();
}

async function sendOnce(
  wire: CallableWire,
  request: WireRequest,
  signal: AbortSignal,
  show: (exchange: Exchange) => void,
): Promise<Exchange> {
  if (wire.hasHandshake !== true) return await send(wire, request, signal, show);
  const sent = await inSession(request, signal);
  signal.addEventListener("abort", () => cancelInSession(sent), { once: true });
  return await send(wire, sent, signal, show);
}

/** Answers questions of a call that waits for them. */
export async function answerRunning(tool: Tool, exchange: Exchange, ids: Ids, answered: Answered): Promise<void> {
  const state = stateOf(tool);
  state.answers = answered.responses;
  await answerOpen(exchange, ids, answered).catch(({ message }: Error) => {
    state.problem.value = `The answer was not taken: ${message}`;
  });
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
