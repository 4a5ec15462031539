/**
 * What other programs do to use a webtool: the calls of the specification's integration guides, as those make them.
 *
 * @module
 */

/** A tool as the guide for the Vercel AI SDK makes one of a webtool. */
export interface GuideTool {
  readonly name: string;
  readonly description: string;
  /** The first action's schema: what the model fills in. */
  readonly parameters: Readonly<Record<string, unknown>>;
  execute(args: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The guide for the Vercel AI SDK: metadata at build time, one tool of it, the envelope taken off. */
export async function getWeatherTool(url: string): Promise<GuideTool> {
  const meta = await (await fetch(url)).json();
  return {
    name: meta.name,
    description: meta.description,
    parameters: meta.actions[0].requestSchema,
    async execute(args) {
      const body = JSON.stringify({ sessionId: crypto.randomUUID(), action: args["action"], request: args });
      const executed = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      return (await executed.json()).data;
    },
  };
}

/** The guide for LangChain: what its Python posts, and the envelope that it gets. */
export async function runGetCurrent(url: string, location: string, units = "metric"): Promise<unknown> {
  const body = {
    sessionId: crypto.randomUUID(),
    action: "get_current",
    request: { location },
    config: { units },
  };
  const headers = { "Content-Type": "application/json" };
  return await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
}
