/** The weather of the specification, small enough for tests of the wire: two versions, units as config, work that waits and asks. */
import * as v from "../../../src/entries/schema.ts";
import { createServer, defineTool, Failure, type ServerOptions, ToolError } from "../../../mod.ts";
import { webtools, type WebtoolsOptions } from "../../../src/entries/webtools.ts";

export const URL_BASE = "http://localhost/webtools/weather";

export const weatherConfig = v.object({
  units: v.pipe(v.picklist(["metric", "imperial"]), v.description("Units")),
  apiKey: v.optional(v.string()),
});

const location = v.object({ location: v.pipe(v.string(), v.description("City name"), v.examples(["Paris"])) });

const v1 = [
  defineTool("get_current").describe("Current weather").config(weatherConfig).input(location)
    .output(v.object({ temperature: v.number() }))
    .handle((_, ctx) => ({ temperature: ctx.config.units === "metric" ? 20 : 68 })),
] as const;

/** A server, and what opens the gate that its slow tool waits for. */
export function createWeather(wire: Partial<WebtoolsOptions> = {}, options: Partial<ServerOptions<never>> = {}) {
  const gate = Promise.withResolvers<void>();
  const sessions: (string | undefined)[] = [];
  const v2 = [
    defineTool("get_current").describe("Weather and umbrella").config(weatherConfig).input(location)
      .output(v.object({ temperature: v.number(), umbrella: v.boolean() }))
      .annotate({ readOnlyHint: true })
      .handle(({ location }, ctx) => {
        sessions.push(ctx.sessionId);
        if (location === "Atlantis") throw new Failure("NO_STATION", "No station there", { near: "Faro" });
        return { temperature: ctx.config.units === "metric" ? 20 : 68, umbrella: true };
      }),
    defineTool("forecast").describe("Takes its time").promise({ budgetMs: 10 }).output(v.string())
      .handle(async (_, ctx) => {
        ctx.progress(1, 2, "measuring");
        await gate.promise;
        return "sun";
      }),
    defineTool("move_station").describe("Asks first").output(v.string()).handle(async (_, ctx) => {
      const answer = await ctx.elicit("sure", { message: "Sure?", schema: v.object({ yes: v.boolean() }) });
      return answer.action === "accept" && answer.content.yes ? "moved" : "kept";
    }),
    defineTool("refuse").describe("Refuses").input(v.object({ code: v.string() })).handle(({ code }): string => {
      if (code === "rate_limited") throw new ToolError(code, "Slow down", { details: { retry_after_ms: 1_500 } });
      throw new ToolError(code as "conflict", "Refused");
    }),
    defineTool("break").describe("Breaks").handle((): string => {
      throw new Error("secret at /etc/shadow");
    }),
    defineTool("nothing").describe("Says nothing, but for _meta").handle((_, ctx) => ctx.meta({ cost: 3 })),
  ] as const;
  const server = createServer({
    logger: false,
    keys: "k1:a secret that all of these servers know",
    ...options,
    tools: v2,
    wires: [
      webtools({
        name: "weather",
        description: "Provides weather information",
        version: "2.1.0",
        defaultConfig: { units: "metric" },
        versions: [{ version: "1.0.0", tools: v1, defaultConfig: { units: "metric" } }],
        ...wire,
      }),
    ],
  });
  return { server, gate, sessions, v1 };
}

/** What a server says to a request: status, headers and JSON. */
export async function ask(
  server: { fetch(request: Request): Promise<Response> },
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const init: RequestInit = body === undefined ? { method, headers } : {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
  const response = await server.fetch(new Request(URL_BASE + path, init));
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === "" ? undefined : JSON.parse(text),
  };
}
