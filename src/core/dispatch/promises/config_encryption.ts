/**
 * Where the config of deferred calls is kept: with the job, and never as it came.
 *
 * With sealed keys any process that has them can read it. Otherwise only the process that took the call can, by a key that it
 * made up and shows to nobody: enough for an engine that keeps jobs in one process.
 *
 * @module
 */
import { CallConfig } from "../../call/call_config.ts";
import type { Engine, Job } from "../../../engine/engine.ts";
import { ToolError } from "../../errors/tool_error.ts";
import type { Json } from "../../../internal/json.ts";
import { decodeBase64Url, encodeBase64Url } from "../../token/base64url.ts";
import type { TokenKeys } from "../../token/token.ts";
import type { ToolDefinition } from "../../tool/definition.ts";

const NONCE_BYTES = 12;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encrypts and decrypts config. */
export class ConfigEncryption {
  readonly #keys: TokenKeys;
  #own: Promise<CryptoKey> | undefined = undefined;

  constructor(keys: TokenKeys) {
    this.#keys = keys;
  }

  /** What a job keeps of the config of its call; `undefined` if the tool has no use for it. */
  async encrypt(plan: ToolDefinition, config: CallConfig | undefined, job: Job): Promise<string | undefined> {
    if (config === undefined || plan.config === undefined) return undefined;
    const data = config.reveal();
    if (!this.#keys.isSealed) return await this.#encrypt(JSON.stringify(data), job.id);
    return this.#sign(job, data as Json);
  }

  /** What {@link close} was given; `"lost"` if it cannot be read any more. */
  async decrypt({ config, id }: Job, nowMs: number): Promise<CallConfig | undefined | "lost"> {
    if (config === undefined) return undefined;
    const data = this.#keys.isSealed ? this.#verify(config, id, nowMs) : await this.#decrypt(config, id);
    return data === undefined ? "lost" : new CallConfig(data);
  }

  #sign({ id, tool, expiresAtMs }: Job, data: Json): string {
    try {
      return this.#keys.sign("config", { id, expSeconds: Math.ceil(expiresAtMs / 1000), tool, principal: "", data });
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new ToolError("payload_too_large", "The config is longer than what is kept with a deferred call", {
        cause,
      });
    }
  }

  #verify(token: string, id: string, nowMs: number): Record<string, unknown> | undefined {
    const verified = this.#keys.verify("config", token, "", nowMs);
    return typeof verified === "string" || verified.id !== id ? undefined : verified.data as Record<string, unknown>;
  }

  async #encrypt(text: string, id: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await crypto.subtle.encrypt(parameters(iv, id), await this.#key(), encoder.encode(text));
    return encodeBase64Url(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
  }

  async #decrypt(text: string, id: string): Promise<Record<string, unknown> | undefined> {
    try {
      const bytes = decodeBase64Url(text) ?? new Uint8Array();
      const iv = bytes.subarray(0, NONCE_BYTES);
      const opened = await crypto.subtle.decrypt(parameters(iv, id), await this.#key(), bytes.subarray(NONCE_BYTES));
      return JSON.parse(decoder.decode(opened));
    } catch {
      // Another process wrote it.
      return undefined;
    }
  }

  #key(): Promise<CryptoKey> {
    return this.#own ??= crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, id: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: encoder.encode(id) };
}

/**
 * Holds a server to keys that can hide what its engine writes down.
 *
 * @throws {TypeError} If a tool takes config, the engine outlives the process, and the keys are not sealed.
 */
export function assertConfigHidden(plans: readonly ToolDefinition[], engine: Engine, keys: TokenKeys): void {
  const plan = plans.find(({ config }) => config !== undefined);
  if (plan === undefined || keys.isSealed || isOfOneProcess(engine)) return;
  throw new TypeError(
    `Cannot create server: the tool ${plan.name} takes config, which the engine ${engine.name} writes down: ` +
      'pass keys that encrypt, { keys: sealed("k1:…") } of "jsr:@toolwire/toolwire/sealed"',
  );
}

function isOfOneProcess(engine: Engine): boolean {
  try {
    return engine.processId !== undefined;
  } catch {
    // It makes up a name for its process, and some runtimes have no randomness before there is a request.
    return true;
  }
}
