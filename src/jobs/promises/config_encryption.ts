/**
 * Encryption of the config of deferred calls, which is stored with their jobs.
 *
 * With sealed keys every process that has them can decrypt it. With other keys it is encrypted with a random key of this
 * process, which is enough for an engine that stores jobs in one process.
 */
import { CallConfig } from "../../core/call/call_config.ts";
import type { Job } from "../../core/dispatch/engine.ts";
import { ToolError } from "../../core/errors/tool_error.ts";
import type { Json } from "../../internal/json.ts";
import { decodeBase64Url, encodeBase64Url } from "../../core/token/base64url.ts";
import type { TokenKeys } from "../../core/token/token.ts";
import type { ToolDefinition } from "../../core/tool/definition.ts";

const NONCE_BYTES = 12;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Encrypts the config of a call for its stored job, and decrypts it when the job runs. */
export class ConfigEncryption {
  readonly #keys: TokenKeys;
  #processKey: Promise<CryptoKey> | undefined;

  constructor(keys: TokenKeys) {
    this.#keys = keys;
  }

  /** Encrypts the config of a call for its job; `undefined` if the tool takes none. */
  async encrypt(definition: ToolDefinition, config: CallConfig | undefined, job: Job): Promise<string | undefined> {
    if (config === undefined || definition.config === undefined) return undefined;
    const data = config.reveal();
    if (!this.#keys.isSealed) return await this.#encrypt(JSON.stringify(data), job.id);
    return this.#sign(job, data as Json);
  }

  /** Decrypts the config of a job: `undefined` if it has none, `"lost"` if another process or a key that was removed encrypted it. */
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
      // Another process encrypted it.
      return undefined;
    }
  }

  #key(): Promise<CryptoKey> {
    return this.#processKey ??= crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]);
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, id: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: encoder.encode(id) };
}
