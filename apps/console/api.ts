/** Requests of the page to the API of the console, and the state that all screens share. */
import { batch, computed, signal } from "@preact/signals";
import type { Json, Schema } from "./json_schema.ts";

/** Answer of `hello`. */
export interface Hello {
  readonly name: string;
  readonly version: string;
  readonly toolwire: string;
  readonly instance: string;
  readonly startedAtMs: number;
  readonly nowMs: number;
  readonly basePath: string;
  readonly path: string;
  readonly wires: readonly { readonly wire: string; readonly paths: readonly string[] }[];
  readonly hasAuth: boolean;
  /** Whether the page may call as any principal. */
  readonly canActAs?: boolean;
  /** Whether the console shows what callers and handlers have written. */
  readonly hasBodies?: boolean;
  /** The server behind this one, as `toolwire call` takes it. */
  readonly target?: string;
  readonly principal?: { readonly id: string; readonly scopes: readonly string[] };
}

/** A tool, as `tools` answers. */
export interface Tool {
  readonly listing: {
    readonly name: string;
    readonly title?: string;
    readonly description: string;
    readonly inputSchema: Schema;
    readonly outputSchema?: Schema;
    readonly annotations?: Readonly<Record<string, unknown>>;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly isListed: boolean;
  readonly promises?: string;
  readonly scopes: readonly string[];
  readonly revision?: string;
  readonly timeoutMs?: number;
  readonly isSystem: boolean;
  readonly chars: number;
  readonly tokens: number;
}

/** An error that the page shows. */
export interface PageError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const hello = signal<Hello | undefined>(undefined);
export const tools = signal<readonly Tool[]>([]);
/** Caller whose list of tools was read, as text; `undefined` until a list has arrived. */
export const listedFor = signal<string | undefined>(undefined);
export const hiddenTools = signal(0);
export const pageError = signal<PageError | undefined>(undefined);
/** A caller that the page acts as. */
export interface ActingAs {
  readonly id: string;
  readonly scopes: readonly string[];
}

/** The caller that the page acts as, where the server allows it; `undefined` for the caller of the page. */
export const actingAs = signal<ActingAs | undefined>(undefined);
/** Token that the page sends with its calls, from a field of the page. */
export const token = signal(sessionStorage.getItem("toolwire-token") ?? "");

const key = takeKey();
const once = takeFromLink("once");
/** URL of the page, without its fragment. */
const page = location.pathname.replace(/\/$/, "");

/** URL below which the wires answer. */
export const origin = computed(() => {
  const { path = "" } = hello.value ?? {};
  return location.origin + (path === "" || !page.endsWith(path) ? "" : page.slice(0, page.length - path.length));
});

/** A part of the link that a server prints. It is removed from the address. */
function takeFromLink(name: string): string | undefined {
  const found = new RegExp(`^#${name}=([^&]+)`).exec(location.hash)?.[1];
  if (found !== undefined) history.replaceState(null, "", location.pathname);
  return found;
}

/** The key is kept for this tab. */
function takeKey(): string {
  const found = takeFromLink("key");
  if (found !== undefined) sessionStorage.setItem("toolwire-key", found);
  return found ?? sessionStorage.getItem("toolwire-key") ?? "";
}

export function setToken(text: string): void {
  token.value = text.trim();
  if (token.value === "") sessionStorage.removeItem("toolwire-token");
  else sessionStorage.setItem("toolwire-token", token.value);
}

export function apiUrl(name: string): string {
  return `${location.origin}${page}/api/${name}`;
}

/** Headers of requests to the API. They have the key of the console, and are not shown. */
export function apiHeaders(): Readonly<Record<string, string>> {
  return {
    "content-type": "application/json",
    "x-toolwire-console": "1",
    ...(key !== "" && { "x-toolwire-console-key": key }),
    ...(token.value !== "" && { authorization: `Bearer ${token.value}` }),
  };
}

/** Sends a request to the API. */
export async function request(name: string, input: unknown, signal?: AbortSignal): Promise<Response> {
  const init: RequestInit = { method: "POST", headers: apiHeaders(), body: JSON.stringify(input) };
  return await fetch(apiUrl(name), signal === undefined ? init : { ...init, signal });
}

/** Returns the answer of the API; `undefined` after an error, which the page then shows. */
export async function ask<Answer>(name: string, input: unknown = {}): Promise<Answer | undefined> {
  try {
    const response = await request(name, input);
    if (response.ok) {
      pageError.value = undefined;
      return await response.json() as Answer;
    }
    pageError.value = await readError(response);
  } catch {
    pageError.value = { status: 0, code: "unreachable", message: "The server does not answer. The page tries again." };
  }
  return undefined;
}

export async function readError(response: Response): Promise<PageError> {
  const { status } = response;
  try {
    const { error, message = "" } = await response.json() as {
      error?: { code?: string; message?: string };
      message?: string;
    };
    return { status, code: String(error?.code ?? "error"), message: error?.message ?? message };
  } catch {
    return { status, code: "error", message: `The server answered ${status}` };
  }
}

/**
 * Exchanges the token of a link that works once, as `toolwire inspect` prints it, for one that this tab keeps.
 *
 * @returns Whether the page can load.
 */
export async function takeLink(): Promise<boolean> {
  if (once === undefined) return true;
  sessionStorage.setItem("toolwire-inspect", "1");
  const answer = await ask<{ token: string }>("session", { token: once });
  if (answer !== undefined) setToken(answer.token);
  return answer !== undefined || token.value !== "";
}

/** Whether this is the page of `toolwire inspect`, whose link is the only access. */
export function isInspector(): boolean {
  return hello.value === undefined
    ? sessionStorage.getItem("toolwire-inspect") !== null
    : hello.value.target !== undefined;
}

/** Loads server and tools. */
export async function load(): Promise<void> {
  const answer = await ask<Hello>("hello");
  if (answer === undefined) return;
  hello.value = answer;
  const as = actingAs.value;
  const listed = await ask<{ tools: Tool[]; hidden: number }>("tools", { as });
  // The list of an earlier caller came late.
  if (listed === undefined || as !== actingAs.value) return;
  const { id = "", scopes = [] } = as ?? answer.principal ?? {};
  batch(() => {
    listedFor.value = JSON.stringify([id, ...scopes]);
    tools.value = listed.tools.toSorted((one, other) => Number(one.isSystem) - Number(other.isSystem));
    hiddenTools.value = listed.hidden;
  });
}

/** An issue of the server's validation. */
export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Validates arguments on the server. Runs no handler. */
export async function check(tool: string, args: Json): Promise<readonly Issue[]> {
  const answer = await ask<{ issues: Issue[] }>("check", { tool, args, as: actingAs.value });
  return answer?.issues ?? [];
}
