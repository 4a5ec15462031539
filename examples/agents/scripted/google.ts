/**
 * A scripted model behind Google's Gemini interface. Requests that break its published rules are refused.
 *
 * @module
 */
import { type Loopback, type Posted, startLoopback } from "./loopback.ts";
import { hold, isRecord, type JsonRecord, recordsOf } from "./rules.ts";
import { nextTurn, type Script } from "./script.ts";

/** Name of the model. */
export const MODEL = "gemini-scripted";

/** Starts the service; its URL is the `baseUrl` of a client. */
export function startGoogle(script: Script): Promise<Loopback> {
  const answer = (request: Posted) => generate(script, request);
  return startLoopback(script, {
    [`/v1/models/${MODEL}:generateContent`]: answer,
    [`/v1beta/models/${MODEL}:generateContent`]: answer,
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

function holdDeclarations({ functionDeclarations }: JsonRecord): void {
  const declared = recordsOf(functionDeclarations, "functionDeclarations");
  hold(declared.length <= 512, "At most 512 function declarations");
  for (const { name, description, parametersJsonSchema: schema, parameters } of declared) {
    hold(typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/.test(name), `Invalid function name: ${name}`);
    hold(description === undefined || typeof description === "string", "description must be text");
    hold(
      parameters === undefined && isRecord(schema) && schema["type"] === "object",
      "The schema must be of an object",
    );
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
  // ADK sends an answer that is an object as it is, an array as "results", and others as "result".
  const { error, output, result = output, results = result, ...rest } = response;
  const value = error ?? results ?? rest;
  return typeof value === "string" ? value : JSON.stringify(value);
}
