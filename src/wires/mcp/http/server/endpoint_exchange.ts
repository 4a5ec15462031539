import type { MaybePromise } from "../../../../internal/async.ts";
import type { Answer } from "../../server/answer.ts";
import { SessionRequest, type SessionRequestOptions } from "../sessions/request.ts";

/** A request that was sent to an endpoint: all that is said to it goes over the session's stream, its answer too. */
export class EndpointExchange extends SessionRequest<SessionRequestOptions> {
  constructor(options: SessionRequestOptions) {
    super(options, true);
  }

  protected override say(json: string): MaybePromise<void> {
    return this.options.sayNews(json);
  }

  /** Says the answer when it is there; what the client says meanwhile is heard. One that is cancelled is not answered. */
  async follow(answer: Promise<Answer>): Promise<void> {
    const unsubscribe = this.listen();
    try {
      const { json } = await answer;
      if (!this.left.aborted) await this.send(json);
    } catch (thrown) {
      this.options.onError(thrown);
    } finally {
      unsubscribe();
    }
  }
}
