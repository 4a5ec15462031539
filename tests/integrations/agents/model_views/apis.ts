/** Reads what a model sees in the bodies of requests to its vendor: the definitions of tools, and the result of the last call. */
import { ok } from "node:assert/strict";

/** Any JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A file in a result. */
export interface SeenFile {
  /** `image`, `audio` or `file`, as the vendor's interface has it. */
  readonly kind: "image" | "audio" | "file";
  /** Media type. */
  readonly mimeType: string;
  /** The bytes, in base64. */
  readonly data: string;
}

/** What a model sees of the result of a call. */
export interface SeenResult {
  /** The texts, joined by line breaks. */
  readonly text: string;
  /** The files. */
  readonly files: readonly SeenFile[];
  /** Whether the interface's mark of errors is set; `undefined` if it has none. */
  readonly isError: boolean | undefined;
}

/** An interface of a vendor. */
export interface Api {
  /** Definitions that the model has in its context with this request, as JSON. */
  readonly loaded: (body: JsonRecord) => readonly string[];
  /** Result of the last call in the request; `undefined` without one. */
  readonly result: (body: JsonRecord) => SeenResult | undefined;
}

const records = (value: unknown) => (Array.isArray(value) ? value : []) as readonly JsonRecord[];
const record = (value: unknown) => value as JsonRecord;
const jsonOf = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value));

/** Chat Completions of OpenAI. */
export const CHAT: Api = {
  loaded: ({ tools }) => jsonOf(records(tools)),
  result({ messages }) {
    const all = records(messages);
    const index = all.findLastIndex(({ role }) => role === "tool");
    if (index === -1) return undefined;
    // Messages of tools have texts alone: files are in the user's message after them.
    const { content } = all[index + 1] ?? {};
    return { text: String(all[index]?.["content"]), files: records(content).flatMap(toChatFile), isError: undefined };
  },
};

function toChatFile({ type, image_url: image, input_audio: audio, file }: JsonRecord): readonly SeenFile[] {
  if (type === "image_url") return [readDataUrl("image", String(record(image)["url"]))];
  if (type === "file") return [readDataUrl("file", String(record(file)["file_data"]))];
  if (type !== "input_audio") return [];
  return [toFile(`audio/${String(record(audio)["format"])}`, String(record(audio)["data"]))];
}

/** Responses of OpenAI. */
export const RESPONSES: Api = {
  loaded: ({ tools }) => jsonOf(records(tools).filter((tool) => tool["defer_loading"] !== true)),
  result({ input }) {
    const last = records(input).findLast(({ type }) => type === "function_call_output");
    if (last === undefined) return undefined;
    const { output } = last;
    if (typeof output === "string") return { text: output, files: [], isError: undefined };
    const parts = records(output);
    return {
      text: parts.flatMap(({ text }) => typeof text === "string" ? [text] : []).join("\n"),
      files: parts.flatMap(({ type, image_url: image, file_data: file }) =>
        type === "input_text" ? [] : [readDataUrl(type === "input_image" ? "image" : "file", String(image ?? file))]
      ),
      isError: undefined,
    };
  },
};

/** Messages of Anthropic. */
export const MESSAGES: Api = {
  loaded: ({ tools }) => jsonOf(records(tools).filter((tool) => tool["defer_loading"] !== true)),
  result({ messages }) {
    const blocks = records(messages).flatMap(({ content }) => records(content));
    const last = blocks.findLast(({ type }) => type === "tool_result");
    if (last === undefined) return undefined;
    const { content, is_error: isError = false } = last;
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : records(content);
    return {
      text: parts.flatMap((part) => typeof record(part)["text"] === "string" ? [record(part)["text"]] : []).join("\n"),
      files: parts.map(record).filter(({ type }) => type === "image" || type === "document").map((
        { type, source },
      ) => ({
        kind: type === "image" ? "image" : "file",
        mimeType: String(record(source)["media_type"]),
        data: String(record(source)["data"]),
      })),
      isError: isError === true,
    };
  },
};

/** `generateContent` of Gemini. */
export const GEMINI: Api = {
  loaded: ({ tools }) => jsonOf(records(tools).flatMap((tool) => records(tool["functionDeclarations"]))),
  result({ contents }) {
    const parts = records(contents).flatMap((content) => records(content["parts"]));
    const last = parts.findLast((part) => part["functionResponse"] !== undefined);
    if (last === undefined) return undefined;
    const { response, parts: media } = record(last["functionResponse"]);
    const { error, output, result = output, ...rest } = contentIn(record(response));
    const value = error ?? result ?? rest;
    return {
      text: typeof value === "string" ? value : textsOf(value) ?? JSON.stringify(value),
      files: [...records(media), ...parts].flatMap(({ inlineData }) =>
        inlineData === undefined
          ? []
          : [toFile(String(record(inlineData)["mimeType"]), String(record(inlineData)["data"]))]
      ),
      isError: error !== undefined,
    };
  },
};

/** Interactions of Gemini. */
export const INTERACTIONS: Api = {
  loaded: ({ tools }) => jsonOf(records(tools)),
  result({ input }) {
    const last = records(input).findLast(({ type }) => type === "function_result");
    if (last === undefined) return undefined;
    const { result, is_error: isError = false } = last;
    const parts = records(result);
    return {
      text: typeof result === "string"
        ? result
        : Array.isArray(result)
        ? parts.flatMap(({ text }) => typeof text === "string" ? [text] : []).join("\n")
        : JSON.stringify(result),
      files: parts.filter(({ type }) => type !== "text").map(({ type, mime_type: mimeType, data }) => ({
        kind: type === "image" || type === "audio" ? type : "file",
        mimeType: String(mimeType),
        data: String(data),
      })),
      isError: isError === true,
    };
  },
};

/** Results of `tools/call` of MCP, with the listed tools. */
export const MCP: Api = {
  loaded: ({ tools }) => jsonOf(records(tools)),
  result({ content, isError = false }) {
    if (content === undefined) return undefined;
    const blocks = records(content);
    return {
      text: blocks.map(({ type, text, resource }) =>
        type === "text" ? String(text) : String(record(resource ?? {})["text"] ?? "")
      ).filter((text) => text !== "").join("\n"),
      files: blocks.flatMap(({ data, mimeType, resource = {} }) => {
        const { blob = data, mimeType: media = mimeType } = record(resource);
        return blob === undefined ? [] : [toFile(String(media), String(blob))];
      }),
      isError: isError === true,
    };
  },
};

/** The AI SDK and TanStack AI wrap answers, the first with the name of the tool. */
function contentIn(response: JsonRecord): JsonRecord {
  const isWrapped = /^content(,name)?$/.test(Object.keys(response).sort().join());
  return isWrapped ? { output: response["content"] } : response;
}

/** Texts of a list of blocks, as LangChain sends them to Gemini. */
function textsOf(value: unknown): string | undefined {
  const blocks = records(value);
  const isTexts = blocks.length > 0 && blocks.every(({ type, text }) => type === "text" && typeof text === "string");
  return isTexts ? blocks.map(({ text }) => text).join("\n") : undefined;
}

function toFile(mimeType: string, data: string): SeenFile {
  const [top] = mimeType.split("/");
  return { kind: top === "image" || top === "audio" ? top : "file", mimeType, data };
}

function readDataUrl(kind: SeenFile["kind"], url: string): SeenFile {
  const [, mimeType = "", data = ""] = /^data:([^;]+);base64,(.*)$/.exec(url) ?? [];
  ok(data !== "", `not a data URL: ${url.slice(0, 40)}`);
  return { kind, mimeType, data };
}
