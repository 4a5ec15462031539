/**
 * A scripted model behind Google's Gemini interface. Requests that break its published rules are refused.
 *
 * @module
 */
import { EventStream, type Loopback, type Posted, startLoopback, type StreamEvent } from "./loopback.ts";
import { hold, holdAnswered, isRecord, type JsonRecord, recordsOf } from "./rules.ts";
import { nextTurn, type Script } from "./script.ts";

/** Name of the model. */
export const MODEL = "gemini-scripted";

/** Starts the service; its URL is the `baseUrl` of a client. */
export function startGoogle(script: Script, model: string = MODEL): Promise<Loopback> {
  const answer = (request: Posted) => generate(script, request);
  const kept: JsonRecord[][] = [];
  return startLoopback(script, {
    "/v1/interactions": (request) => interact(script, request, kept),
    "/v1beta/interactions": (request) => interact(script, request, kept),
    [`/v1/models/${model}:generateContent`]: answer,
    [`/v1beta/models/${model}:generateContent`]: answer,
    [`/v1beta/models/${model}:streamGenerateContent?alt=sse`]: (request) =>
      new EventStream([generate(script, request) as StreamEvent]),
  });
}

function generate(script: Script, { headers, body }: Posted): unknown {
  hold(typeof headers["x-goog-api-key"] === "string", "The key goes into the header x-goog-api-key");
  recordsOf(body["tools"], "tools").forEach(holdDeclarations);
  const contents = recordsOf(body["contents"], "contents");
  const calls = contents.map((content) => partsOf(content, "model", "functionCall"));
  const responses = contents.map((content) => partsOf(content, "user", "functionResponse"));
  for (const [index, asked] of calls.entries()) {
    const answers = asked.length === 0 ? [] : responses[index + 1] ?? [];
    hold(answers.length === asked.length, "The number of function responses must equal the number of function calls");
    hold(asked.every(({ id }, at) => answers[at]?.["id"] === id), "A response has the id of its call");
  }
  const turn = nextTurn(
    script,
    calls.filter((asked) => asked.length > 0).length,
    responses.flat().map(textOf),
  );
  const parts = "text" in turn
    ? [{ text: turn.text }]
    : turn.calls.map(({ id, name, args }) => ({ functionCall: { id, name, args } }));
  return {
    candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts } }],
    usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 },
    modelVersion: MODEL,
  };
}

/** An interaction. The service keeps the steps of those before it: a request has only its id, and the new steps. */
function interact(script: Script, { headers, body }: Posted, kept: JsonRecord[][]): unknown {
  hold(typeof headers["x-goog-api-key"] === "string", "The key goes into the header x-goog-api-key");
  hold(typeof body["model"] === "string", "model is required");
  const { input, previous_interaction_id: previous } = body;
  holdFunctions(recordsOf(body["tools"], "tools"));
  const before = previous === undefined ? [] : kept[Number(previous)];
  hold(before !== undefined, "The previous interaction does not exist");
  const steps = [...before, ...(typeof input === "string" ? [] : recordsOf(input, "input"))];
  const calls = steps.filter(({ type }) => type === "function_call");
  const results = steps.filter(({ type }) => type === "function_result");
  holdAnswered(calls.map(({ id }) => id), results.map(({ call_id: id }) => id));
  const rounds = new Set(calls.map(({ id }) => String(id).split("_")[1])).size;
  const turn = nextTurn(script, rounds, results.map(({ result }) => resultText(result)));
  const next = "text" in turn
    ? [{ type: "model_output", content: [{ type: "text", text: turn.text }] }]
    : turn.calls.map(({ id, name, args }) => ({ type: "function_call", id, name, arguments: args }));
  const id = kept.push([...steps, ...next]) - 1;
  const status = "text" in turn ? "completed" : "requires_action";
  const time = new Date(0).toISOString();
  return { id: String(id), object: "interaction", model: MODEL, status, created: time, updated: time, steps: next };
}

function resultText(result: unknown): string {
  if (typeof result === "string") return result;
  if (!Array.isArray(result)) return JSON.stringify(result);
  return recordsOf(result, "result").map(({ type, text, data, mime_type: media }) => {
    if (type === "text" && typeof text === "string") return text;
    hold(typeof data === "string" && typeof media === "string", "A file has data and a media type");
    return `(${type})`;
  }).join("\n");
}

function holdFunctions(functions: readonly JsonRecord[]): void {
  for (const { type, name, parameters } of functions) {
    hold(type === "function" && typeof name === "string", "A tool has a type and a name");
    hold(isRecord(parameters) && parameters["type"] === "object", "The schema must be of an object");
  }
}

function holdDeclarations({ functionDeclarations }: JsonRecord): void {
  const declared = recordsOf(functionDeclarations, "functionDeclarations");
  hold(declared.length <= 512, "At most 512 function declarations");
  for (const { name, description, parametersJsonSchema: schema, parameters } of declared) {
    hold(typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/.test(name), `Invalid function name: ${name}`);
    hold(description === undefined || typeof description === "string", "description must be text");
    // A JSON Schema, or Google's own form of schemas.
    const given = schema ?? parameters;
    hold(schema === undefined || parameters === undefined, "A function has one schema");
    hold(isRecord(given) && /^object$/i.test(String(given["type"])), "The schema must be of an object");
  }
}

/** Parts of a kind, which only contents of a role have. */
function partsOf({ role, parts }: JsonRecord, of: string, kind: string): JsonRecord[] {
  const found = recordsOf(parts, "parts").map((part) => part[kind]).filter(isRecord);
  hold(found.length === 0 || role === of, `${kind} parts are of the role ${of}`);
  return found;
}

function textOf({ response }: JsonRecord): string {
  hold(isRecord(response), "response must be an object");
  // ADK sends an answer that is an object as it is, an array as "results", and others as "result"; the AI SDK and TanStack AI { content }.
  const isNamed = /^content(,name)?$/.test(Object.keys(response).sort().join());
  const { error, output, result = output, results = result, ...rest } = isNamed
    ? { output: response["content"] }
    : response;
  const value = error ?? results ?? rest;
  return typeof value === "string" ? value : JSON.stringify(value);
}
