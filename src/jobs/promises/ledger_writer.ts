/** Writes the entries of one run to the ledger of its job: one write at a time, which has all entries that came during the one before. */
import type { LedgerEntry } from "../../core/dispatch/engine.ts";
import type { MaybePromise } from "../../internal/async.ts";

/** Largest size of one write, in UTF-16 code units of JSON, unless a single entry is larger; and its largest number of entries. */
const MAX_WRITE_CHARS = 262_144;
const MAX_WRITE_ENTRIES = 500;

/** Appends entries from a position on. `false` if the run is no longer the current one of its job. */
type Append = (from: number, entries: readonly LedgerEntry[]) => MaybePromise<boolean>;

/** An outcome of a step that is not written yet, and what resolves when it is. */
interface Pending {
  readonly entry: LedgerEntry;
  readonly chars: number;
  readonly written: PromiseWithResolvers<boolean>;
}

/** Appends the entries of a run, in the order in which they come. */
export class LedgerWriter {
  readonly #append: Append;
  #position: number;
  #pending: Pending[] = [];
  #isWriting = false;

  /** @param position Number of entries that the ledger has. */
  constructor(append: Append, position: number) {
    this.#append = append;
    this.#position = position;
  }

  /** Whether the ledger has no entry. */
  get isEmpty(): boolean {
    return this.#position === 0;
  }

  /** Resolves when the entry is stored: `false` if the run is no longer the current one. Rejects if the engine fails. */
  add(entry: LedgerEntry): Promise<boolean> {
    const written = Promise.withResolvers<boolean>();
    this.#pending.push({ entry, chars: JSON.stringify(entry.value).length, written });
    if (!this.#isWriting) void this.#write();
    return written.promise;
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    // Steps that end in the same turn share a write.
    await undefined;
    while (this.#pending.length > 0) {
      const batch = this.#take();
      try {
        const isAppended = await this.#append(this.#position, batch.map(({ entry }) => entry));
        if (isAppended) this.#position += batch.length;
        for (const { written } of batch) written.resolve(isAppended);
      } catch (thrown) {
        for (const { written } of batch) written.reject(thrown);
      }
    }
    this.#isWriting = false;
  }

  /** Takes the first entries that fit into one write. */
  #take(): Pending[] {
    let chars = 0;
    const end = this.#pending.findIndex((one, at) => {
      chars += one.chars;
      return at === MAX_WRITE_ENTRIES || (at > 0 && chars > MAX_WRITE_CHARS);
    });
    return this.#pending.splice(0, end === -1 ? this.#pending.length : end);
  }
}
