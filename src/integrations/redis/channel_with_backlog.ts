import type { ChannelListener } from "../../jobs/engines/redis/channels.ts";

/** Messages that were read from a log, since they were published while this process was not subscribed. */
export interface Backlog<Message> {
  /** The messages, oldest first. */
  readonly messages: readonly Message[];
  /** Position in the log after the last of them. */
  readonly cursor: string;
}

/** Options of {@link ChannelWithBacklog}. */
export interface ChannelWithBacklogOptions<Message> {
  /** Position in the log after which messages are emitted; `undefined` if `readBacklog` decides. */
  readonly cursor: string | undefined;
  /** Decodes a message of the channel, which follows its cursor; `undefined` if it is invalid. */
  readonly decode: (text: string) => Message | undefined;
  /** Reads the log after a cursor. Reports its own errors. */
  readonly readBacklog: (cursor: string | undefined) => Promise<Backlog<Message>>;
  /** Called with every message; after a reconnection, with some of them twice. */
  readonly emit: (message: Message) => void;
}

/**
 * Emits the messages of a channel, and reads those that it missed from a log: before the subscription, and while Redis could not be
 * reached. A message of the channel begins with its cursor in the log.
 */
export class ChannelWithBacklog<Message> implements ChannelListener {
  readonly #options: ChannelWithBacklogOptions<Message>;
  #cursor: string | undefined;
  /** Whether every message before the cursor was emitted. */
  #isComplete = false;
  #subscriptions = 0;

  constructor(options: ChannelWithBacklogOptions<Message>) {
    this.#options = options;
    this.#cursor = options.cursor;
  }

  onMessage(text: string): void {
    const end = text.indexOf(" ");
    const message = this.#options.decode(text.slice(end + 1));
    if (message !== undefined) this.#options.emit(message);
    if (this.#isComplete && end > 0) this.#cursor = text.slice(0, end);
  }

  onSubscribe(): void {
    this.#isComplete = false;
    this.#catchUp(++this.#subscriptions).catch(() => {
      // Reported already. The next subscription retries from the same cursor.
    });
  }

  async #catchUp(subscription: number): Promise<void> {
    const { messages, cursor } = await this.#options.readBacklog(this.#cursor);
    if (subscription !== this.#subscriptions) return;
    this.#cursor = cursor;
    this.#isComplete = true;
    messages.forEach(this.#options.emit);
  }
}
