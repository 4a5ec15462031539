/** What the two processes of `toolwire dev` exchange: settings down in an environment variable, events up as lines of output. */
import { asObject } from "../../../src/internal/json.ts";

/** Settings that `toolwire dev` passes to the process that serves. */
export interface DevSettings {
  /** Module, as it was written. */
  readonly module: string;
  /** Port of every reload, chosen before the first start. */
  readonly port: number;
  /** Signs tokens of a server with an engine and without keys, so that they stay valid when the module is reloaded. */
  readonly keys: string;
  /** Names of the wires. Default: those of the server. */
  readonly wires?: readonly string[];
  readonly colors: boolean;
  /** Key of the console page, which is added if the server has none. `undefined` adds neither page nor key. */
  readonly consoleKey?: string;
}

/** Report of the serving process that it cannot serve the module, and why. */
export interface DevFailure {
  readonly kind: "failed";
  readonly message: string;
  /** The exception of the module with its stack. Empty if `message` explains all, as with a wrong option. */
  readonly detail: string;
  readonly hint?: string;
  /** When the module began to load, in milliseconds since the Unix epoch. */
  readonly startedMs: number;
  /** Whether no change of the module mends it, as with a wrong option. */
  readonly isFinal?: boolean;
}

/** Event of the process that serves: the server listens, cannot be loaded, or is closed before a reload or the end. */
export type DevEvent =
  | { readonly kind: "serving"; readonly banner: string; readonly tools: number }
  | DevFailure
  | { readonly kind: "closed" };

/** Name of the environment variable that carries {@link DevSettings} as JSON. */
export const SETTINGS_VARIABLE = "TOOLWIRE_DEV_SETTINGS";

/** Start of a line of output that is an event. */
const EVENT_START = "@toolwire/dev ";

/** Encodes an event as a line of output, without its line break. */
export function encodeDevEvent(event: DevEvent): string {
  return EVENT_START + JSON.stringify(event);
}

/** Decodes a line of output to its event. `undefined` for other output of the program. */
export function decodeDevEvent(line: string): DevEvent | undefined {
  if (!line.startsWith(EVENT_START)) return undefined;
  try {
    const event = asObject(JSON.parse(line.slice(EVENT_START.length)));
    return typeof event["kind"] === "string" ? event as unknown as DevEvent : undefined;
  } catch {
    return undefined;
  }
}
