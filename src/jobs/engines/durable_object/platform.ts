/** The members of Cloudflare's Durable Objects that the engine uses, as structural types. */

/** Result of a statement: `SqlStorageCursor` of Cloudflare Workers, as far as it is used. */
export interface ObjectCursor {
  /** Returns all rows. */
  toArray(): Readonly<Record<string, unknown>>[];
  /** Number of written rows, those of indexes included. */
  readonly rowsWritten: number;
}

/** Storage of an object with SQLite: `DurableObjectStorage` of Cloudflare Workers, as far as it is used. */
export interface ObjectStorage {
  /** The tables of the object. */
  readonly sql: {
    /** Runs statements; only the last one may have parameters. */
    exec(query: string, ...bindings: (string | number | null)[]): ObjectCursor;
  };
  /** Runs work in one transaction. */
  transactionSync<Result>(work: () => Result): Result;
  /** When the alarm is due, in milliseconds since the Unix epoch. */
  getAlarm(): Promise<number | null>;
  /** Sets the only alarm of the object, in milliseconds since the Unix epoch. */
  setAlarm(atMs: number): Promise<void>;
}

/** First argument of an object's constructor: `DurableObjectState` of Cloudflare Workers, as far as it is used. */
export interface ObjectState {
  /** Id of the object. */
  readonly id: { toString(): string };
  /** Storage of the object. */
  readonly storage: ObjectStorage;
  /** Delays all events until `work` has ended. */
  blockConcurrencyWhile<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Response of another object, as far as it is read. */
export interface ObjectResponse {
  /** Status of HTTP. */
  readonly status: number;
  /** Reads the body as JSON. */
  json(): Promise<unknown>;
  /** Reads the body as text. */
  text(): Promise<string>;
}

/** The binding of a class of Durable Objects: `DurableObjectNamespace` of Cloudflare Workers, as far as it is used. */
export interface ObjectNamespace {
  /** The id of a name. */
  idFromName(name: string): { toString(): string };
  /** A stub of an object. */
  get(id: never, options?: never): {
    /** Sends a request to the object. */
    fetch(url: string, init: { method: string; body: string; signal: AbortSignal }): Promise<ObjectResponse>;
  };
}
