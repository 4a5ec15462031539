/** The tools of the suite: one for each way in which a call can go. Each remembers the arguments that it received. */
import { createServer, defineTool, Failure } from "../../../../mod.ts";
import * as v from "../../../../src/entries/schema.ts";
import { mcp } from "../../../../src/entries/mcp.ts";

/** A picture of one pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** The beginning of a document: services here read no more of it than its type. */
export const PDF = btoa("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n");
/** A sound of no samples. */
export const WAV = btoa(`RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0`);

const image = { type: "image", data: PNG, mimeType: "image/png" } as const;
const pdf = {
  type: "resource",
  resource: { uri: "file:///report.pdf", mimeType: "application/pdf", blob: PDF },
} as const;

/** Number of tools that are not loaded at once in the case of many tools. */
export const MANY = 100;

/** A fresh server, and the calls that its handlers received, as `[tool, arguments]`. */
export function createViewedServer() {
  const received: (readonly [string, unknown])[] = [];
  const tool = (name: string) => defineTool(name).describe(`Do ${name}`);
  const keep = (name: string) => (input: unknown) => void received.push([name, input]);
  const tools = [
    tool("text").handle(() => "Sun over Rome"),
    tool("json").output(v.object({ degrees: v.number() })).handle(() => ({ degrees: 21 })),
    tool("image").handle(() => [{ type: "text", text: "The chart of May" }, image]),
    tool("rendered").output(v.object({ points: v.number() }))
      .render(({ points }) => [{ type: "text", text: `A chart of ${points} points` }, image])
      .handle(() => ({ points: 3 })),
    tool("pdf").handle(() => [{ type: "text", text: "The report of May" }, pdf]),
    tool("audio").handle(() => [{ type: "audio", data: WAV, mimeType: "audio/wav" }]),
    tool("resource").handle(() => [{
      type: "resource",
      resource: { uri: "file:///notes.md", mimeType: "text/markdown", text: "# Notes of May" },
    }]),
    tool("file_in_value").handle(() => ({
      month: "May",
      chart: new File([decode(PNG)], "m.png", { type: "image/png" }),
    })),
    tool("fail").handle((): string => {
      throw new Failure("locked", "The door is locked", { by: "Ada" });
    }),
    tool("break").handle((): string => {
      throw new Error("password=hunter2 at /srv/app/secret.ts");
    }),
    tool("count").input(v.object({
      count: v.pipe(v.number(), v.integer()),
      label: v.optional(v.string()),
      note: v.optional(v.nullable(v.string())),
    })).handle((input) => {
      keep("count")(input);
      return "counted";
    }),
    tool("ask").handle(async (_, ctx) => {
      const { action } = await ctx.elicit("sure", { message: "Are you sure about May?", schema: v.object({}) });
      return action === "accept" ? "sure" : "unsure";
    }),
    tool("promise").promise({ budgetMs: 10, retries: 0 }).handle(async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return "kept promise";
    }),
    tool("drop").annotate({ destructiveHint: true }).input(v.object({ table: v.string() })).handle((input) => {
      keep("drop")(input);
      return `dropped ${input.table}`;
    }),
  ] as const;
  const server = createServer({
    name: "viewed",
    version: "1.0.0",
    tools,
    wires: [mcp()],
    keys: "k1:a secret that all of these servers know",
    logger: false,
  });
  return { server, received };
}

/** A server of many tools, one of them destructive, and the calls that its handlers received. */
export function createManyViewed() {
  const received: (readonly [string, unknown])[] = [];
  const tools = Array.from({ length: MANY }, (_, index) => {
    const name = index === 0 ? "drop_everything" : `label_${index}`;
    return defineTool(name).describe(index === 0 ? "Drop everything" : `Set the label of shelf ${index}`)
      .annotate({ destructiveHint: index === 0 })
      .input(v.object({ label: v.string() }))
      .handle((input) => {
        received.push([name, input]);
        return `${name} is ${input.label}`;
      });
  });
  return { server: createServer({ name: "many", version: "1.0.0", tools }), received };
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
