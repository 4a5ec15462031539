/** Files of answers in the requests of Google's Agent Development Kit, whose tools answer with JSON alone. */
import type { AnswerPart } from "./answer_content.ts";

/** A part of a content in a request of ADK. Only these members are used. */
interface AdkPart {
  readonly text?: string;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
  readonly functionResponse?: { readonly response?: object | undefined } | undefined;
}

/** A message in a request of ADK. Only these members are used. */
interface AdkContent {
  readonly role?: string | undefined;
  readonly parts?: readonly AdkPart[] | undefined;
}

/** What ADK passes to a tool before each request. */
interface AdkRequest {
  readonly llmRequest: { readonly contents: AdkContent[] };
}

/** A tool of ADK that may change the request before it is sent to the model. */
interface RequestProcessor {
  processLlmRequest(request: AdkRequest): Promise<void>;
}

/**
 * Key of the parts with files, on the answer that ADK keeps in its session and copies into each request. JSON leaves it out: a session that
 * was stored has the text, which names the files.
 */
const FILES: unique symbol = Symbol("toolwire.files");

/** Answer of a tool for ADK, with the parts that its JSON leaves out. */
type FileResponse = { readonly result: string; [FILES]?: readonly AdkPart[] };

/** Makes the answer of a tool whose text names files. */
export function fileResponse(tool: string, text: string, content: readonly AnswerPart[]): object {
  const files = content.flatMap((part): AdkPart[] =>
    part.type === "file" ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }] : []
  );
  return { result: text, [FILES]: [{ text: `Files of the answer of ${tool}:` }, ...files] } satisfies FileResponse;
}

/**
 * Lets a tool of ADK put files into requests, as a content after that of the answers, which is how ADK's own tool for artifacts does it.
 * `FunctionTool` has no option for the method in which tools change a request.
 */
export function sendFilesOf(tool: unknown): void {
  if (!isProcessor(tool) || Object.hasOwn(tool, "processLlmRequest")) return;
  const ownProcessing = tool.processLlmRequest;
  tool.processLlmRequest = async (request) => {
    await ownProcessing.call(tool, request);
    insertFiles(request.llmRequest.contents);
  };
}

function isProcessor(value: unknown): value is RequestProcessor {
  return typeof (value as Partial<RequestProcessor> | null | undefined)?.processLlmRequest === "function";
}

function insertFiles(contents: AdkContent[]): void {
  for (let index = contents.length - 1; index >= 0; index--) {
    const parts = contents[index]?.parts?.flatMap(({ functionResponse }) => takeFiles(functionResponse?.response)) ??
      [];
    if (parts.length > 0) contents.splice(index + 1, 0, { role: "user", parts });
  }
}

/** Takes the files off the copy in a request: several tools look at it. */
function takeFiles(response: Partial<FileResponse> | undefined): readonly AdkPart[] {
  const files = response?.[FILES] ?? [];
  delete response?.[FILES];
  return files;
}
