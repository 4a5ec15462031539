import type { ChannelListener } from "./channels.ts";

/** What was told while nobody here listened. */
export interface Backlog<News> {
  /** In the order in which it was told. */
  readonly news: readonly News[];
  /** Where that ends. */
  readonly cursor: string;
}

/** What a {@link ChannelWithBacklog} needs. */
export interface ChannelWithBacklogOptions<News> {
  /** From where on everything is told; `undefined` if that is for `missed` to know. */
  readonly cursor: string | undefined;
  /** Reads what a channel tells, after its cursor; `undefined` if it makes no sense. */
  readonly read: (text: string) => News | undefined;
  /** Gives what a log has after a cursor. Tells by itself what goes wrong. */
  readonly missed: (cursor: string | undefined) => Promise<Backlog<News>>;
  /** Told everything: some of it twice, after a break. */
  readonly tell: (news: News) => void;
}

/**
 * Hears what a channel tells, and reads in a log what it did not hear: before it had joined, and while Redis was gone. In both,
 * each piece of news has a cursor before it.
 */
export class ChannelWithBacklog<News> implements ChannelListener {
  readonly #options: ChannelWithBacklogOptions<News>;
  #cursor: string | undefined;
  /** Whether everything before the cursor was told. */
  #isWhole = false;
  #joins = 0;

  constructor(options: ChannelWithBacklogOptions<News>) {
    this.#options = options;
    this.#cursor = options.cursor;
  }

  onMessage(text: string): void {
    const end = text.indexOf(" ");
    const news = this.#options.read(text.slice(end + 1));
    if (news !== undefined) this.#options.tell(news);
    if (this.#isWhole && end > 0) this.#cursor = text.slice(0, end);
  }

  onJoin(): void {
    this.#isWhole = false;
    this.#catchUp(++this.#joins).catch(() => {
      // It was told. With the next connection it is tried again, from the same cursor.
    });
  }

  async #catchUp(join: number): Promise<void> {
    const { news, cursor } = await this.#options.missed(this.#cursor);
    if (join !== this.#joins) return;
    this.#cursor = cursor;
    this.#isWhole = true;
    news.forEach(this.#options.tell);
  }
}
