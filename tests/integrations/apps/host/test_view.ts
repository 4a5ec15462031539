/** A view that does all that a view can, for the tests. Its results are in `seen`. Bundled for the browser by the test. */
import { connectView, ToolError } from "../../../../src/entries/apps/view.ts";
import type { TestServer } from "./test_server.ts";

const seen: Record<string, unknown> = {};
const events: string[] = [];
Object.assign(globalThis, { seen, events });

// Only the parent is the host: a message of the page itself is not one of it.
addEventListener("load", () => postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-input", params: {} }, "*"));

const problem = (error: unknown) => error instanceof ToolError ? `${error.code}: ${error.message}` : String(error);

const view = await connectView<TestServer, "points">({
  name: "test",
  onPartialInput: (input) => events.push(`partial ${JSON.stringify(input)}`),
  onInput: ({ count }) => events.push(`input ${count.toFixed(1)}`),
  onResult: (result) => events.push(`result ${result.kind === "answer" ? result.value.join("+") : result.kind}`),
  onCancelled: (reason) => events.push(`cancelled ${reason}`),
  onContext: ({ theme }) => events.push(`context ${theme}`),
  async onTeardown() {
    await view.points({ count: 1 });
    events.push("teardown");
  },
});

Object.assign(globalThis, {
  async useAll(fetched: string) {
    // The types are those of the tools: this compiles for numbers alone.
    seen["points"] = (await view.points({ count: 3 })).map((point) => point.toFixed(1));
    seen["failure"] = await view.strict({}).catch((error) => view.strict.isFailure(error) ? error.data.left : "");
    seen["invalid"] = await view.points({ count: "x" as never }).catch(problem);
    seen["absent"] = await view.$.request("tools/absent").catch(problem);
    await view.$.openLink("https://example.com/");
    seen["refused"] = await view.$.openLink("javascript:alert(1)").catch(problem);
    await view.$.sendMessage("Hello");
    await view.$.updateModelContext({ structuredContent: { selected: 1 } });
    seen["mode"] = await view.$.requestDisplayMode("fullscreen");
    view.$.log("info", "a line");
    seen["host"] = view.$.host;
    seen["colour"] = getComputedStyle(document.documentElement).getPropertyValue("--color-text-primary");
    seen["aborted"] = await view.points({ count: 1 }, { signal: AbortSignal.abort("enough") }).catch(String);
    seen["fetch"] = await fetch(fetched).then((response) => response.text(), () => "blocked");
    return seen;
  },
});
