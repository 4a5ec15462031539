/** Keeps tokens of OAuth between commands. */
import { createHash } from "node:crypto";
import { isJsonObject } from "../../../src/internal/json.ts";
import type { OAuthStore } from "../../../src/entries/oauth.ts";
import { readFileBytes } from "../files/place.ts";
import { inUserFolder } from "../files/user_folder.ts";
import { updateFile, whileUsed } from "../files/write_file.ts";

/** Content of the file: what the store was given, by its keys. */
type Entries = Readonly<Record<string, unknown>>;

/**
 * The tokens of one server in a file of this user alone. Commands share it: it is read each time, and changed under a lock. The URL is
 * that of the server, and `onCredential` receives each token.
 */
export class TokenFile implements OAuthStore {
  readonly #file: string;
  readonly #onCredential: ((value: string) => void) | undefined;

  constructor(url: URL, env: Readonly<Record<string, string | undefined>>, onCredential?: (value: string) => void) {
    const name = createHash("sha256").update(url.href).digest("hex").slice(0, 16);
    this.#file = inUserFolder(env, "oauth", `${name}.json`);
    this.#onCredential = onCredential;
  }

  get(key: string): string | undefined {
    const value = parseEntries(readFileBytes(this.#file))?.[key];
    if (typeof value !== "string") return undefined;
    this.#report(value);
    return value;
  }

  async set(key: string, value: string): Promise<void> {
    this.#report(value);
    await this.#change((entries) => ({ ...entries, [key]: value }));
  }

  async delete(key: string): Promise<void> {
    await this.#change(({ [key]: _, ...others }) => others);
  }

  async lock<Value>(_key: string, work: () => Promise<Value>): Promise<Value> {
    return await whileUsed(this.#file, work, { folderMode: 0o700 });
  }

  async #change(change: (entries: Entries) => Entries): Promise<void> {
    await updateFile(this.#file, (old) => JSON.stringify(change(parseEntries(old) ?? {})), {
      mode: 0o600,
      folderMode: 0o700,
      // A damaged file is kept for the user.
      isDisposable: (old) => parseEntries(old) !== undefined,
    });
  }

  /** Reports the tokens of an entry. */
  #report(entry: string): void {
    if (this.#onCredential === undefined) return;
    for (const [, value] of entry.matchAll(/"(?:accessToken|refreshToken|secret)":"([^"\\]+)"/g)) {
      if (value !== undefined) this.#onCredential(value);
    }
  }
}

/** `undefined` if there is no file yet, or it was damaged: the user signs in again. */
function parseEntries(bytes: Uint8Array | undefined): Entries | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
