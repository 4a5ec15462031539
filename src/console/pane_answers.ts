/** Answers of the console's API for its panes: changes of the list, recordings, and access. */
import { compareLists } from "../inspection/contract_diff/list_changes.ts";
import { createRedactor } from "../core/redaction/redact.ts";
import { isJsonObject, type Members } from "../internal/json.ts";
import type { Head, Reply, WireHost } from "../wires/wire.ts";
import { accessOf, callAs, contentAs, withCaller } from "./act_as.ts";
import { CallRecording, replay } from "./call_recording.ts";
import type { Feed } from "./feed.ts";
import { type Answer, ok, refusal } from "./replies.ts";

/** What the options of the console allow. */
interface PaneRules {
  /** Whether arguments and results may be kept. */
  readonly hasBodies: boolean;
  /** Whether the page may call as other principals. */
  readonly canActAs: boolean;
}

export function paneAnswers(host: WireHost, feed: Feed, rules: PaneRules): Readonly<Record<string, Answer>> {
  const recording = feed.recording = new CallRecording(host.clock);
  return {
    diff: (input, head) => compare(input, host, head),
    record: ({ on }, { principal }) => {
      if (on === true && !rules.hasBodies) {
        return refusal(403, "permission_denied", "This console keeps no arguments and results: bodies is false");
      }
      const tools = (host.allTools ?? host).toolsFor(principal).map((tool) => ({ ...tool }));
      if (on === true) recording.start({ server: host.info, tools, redactor: createRedactor() });
      else if (on === false) recording.stop();
      return ok(recording.state);
    },
    recording: () => ok({ text: recording.text }),
    replay: ({ recording: text }, head) => replayText(text, host, head),
    access: withCaller(rules.canActAs, (_, principal) => ok(accessOf(host, principal, rules.canActAs))),
    call: withCaller(rules.canActAs, callAs(host)),
    content: withCaller(rules.canActAs, contentAs(host)),
  };
}

/** Compares lists that the page kept with the present ones. */
function compare({ before }: Members, host: WireHost, { principal }: Head): Reply {
  if (!isJsonObject(before)) {
    return refusal(400, "invalid_request", "Send the lists to compare with as the member before");
  }
  const { catalog } = host;
  const present = {
    tools: host.toolsFor(principal).map((tool) => ({ ...tool })),
    ...(catalog && {
      prompts: catalog.promptsFor(principal),
      resourceTemplates: catalog.templatesFor(principal),
    }),
  };
  try {
    return ok({ changes: compareLists(before, present) });
  } catch {
    return refusal(400, "invalid_request", "The lists to compare with cannot be read");
  }
}

async function replayText(text: unknown, host: WireHost, head: Head): Promise<Reply> {
  try {
    return ok({ calls: await replay(String(text), host, head) });
  } catch (thrown) {
    if (thrown instanceof TypeError) return refusal(400, "invalid_request", thrown.message);
    throw thrown;
  }
}
