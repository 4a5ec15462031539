/** What the page of `browser_test.ts` runs. */
import { openaiTools } from "../../../src/entries/agents.ts";
import { createAgentFixture } from "./fixture.ts";

async function runInPage(): Promise<string[]> {
  const { run } = await openaiTools(createAgentFixture().server);
  const call = (name: string, args: string) => ({ type: "function", id: name, function: { name, arguments: args } });
  const messages = await run([call("tell_story", '{"about":"a page"}'), call("bake_cake", '{"layers":2}')]);
  return messages.map(({ content }) => content);
}

Object.assign(globalThis, { runInPage });
