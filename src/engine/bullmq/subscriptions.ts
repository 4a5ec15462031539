import { Listeners } from "../../internal/async.ts";

/** Who wants to know of which job's changes. */
export class BullmqSubscriptions {
  readonly #jobs = new Map<string, Listeners>();

  /** @returns Ends it. */
  add(id: string, onChange: () => void): () => void {
    const listeners = this.#jobs.get(id) ?? new Listeners(() => this.#jobs.delete(id));
    this.#jobs.set(id, listeners);
    return listeners.add(onChange);
  }

  /** A job has changed; if `undefined`, any may have. */
  tell(id: string | undefined): void {
    const changed = id === undefined ? [...this.#jobs.values()] : [this.#jobs.get(id)];
    for (const listeners of changed) listeners?.notify();
  }
}
