/** What messages of tools carry of an answer with files, by the package of LangChain that sends them. */
import { isJsonObject } from "../../internal/json.ts";
import { type AnswerPart, IMAGES, IMAGES_AND_PDF, isImage, nameFile, takesMedia } from "./answer_content.ts";

/** A text or a file in an answer with files, as a content block of LangChain, or of OpenAI's Responses where the block of LangChain is lost. */
export type LangChainBlock = {
  /** Discriminant. */
  type: "text" | "input_text";
  /** The text. */
  text: string;
} | {
  /** Discriminant. */
  type: "image" | "file" | "media";
  /** Media type. */
  mimeType: string;
  /** The bytes, in base64. */
  data: string;
} | {
  /** Discriminant. */
  type: "input_image";
  /** Resolution at which the model looks at the image. */
  detail: "auto";
  /** The image, as a data URL. */
  image_url: string;
} | {
  /** Discriminant. */
  type: "input_file";
  /** Name of the file. */
  filename: string;
  /** The file, as a data URL. */
  file_data: string;
};

/** What a model takes: media types of files, and the form of parts. */
interface ModelMedia {
  readonly media: readonly string[];
  readonly toBlocks: (part: AnswerPart) => readonly LangChainBlock[];
}

/** Media types of files that at least one model of LangChain takes. */
export const LANGCHAIN_MEDIA: readonly string[] = ["image/*", "audio/*", "video/*", "application/pdf"];

/** `@langchain/anthropic` sends blocks of LangChain. */
const ANTHROPIC: ModelMedia = { media: IMAGES_AND_PDF, toBlocks: toStandard };
/** `@langchain/google` takes blocks of LangChain out of answers, and sends those of its older form beside them. */
const GOOGLE: ModelMedia = { media: LANGCHAIN_MEDIA, toBlocks: toMedia };
/** `@langchain/openai` writes blocks of LangChain other than images as JSON, and sends those of the interface as they are. */
const RESPONSES: ModelMedia = { media: IMAGES_AND_PDF, toBlocks: toInput };
/** Chat Completions takes texts alone. What is not known is not sent: packages write unknown blocks as JSON, or throw. */
const TEXTS: ModelMedia = { media: [], toBlocks: toStandard };
/** Without an agent the model is not known. A file is also named, because some models are given the texts alone. */
const UNKNOWN: ModelMedia = { media: IMAGES, toBlocks: (part) => [...named(part), ...toStandard(part)] };

/**
 * Makes the content of a message of a tool.
 *
 * @param state The state of the agent, whose last message of a model names its vendor.
 * @param media Media types that the application says its model takes.
 */
export function toLangChainContent(
  content: readonly AnswerPart[],
  state: unknown,
  media: readonly string[] | undefined,
): string | LangChainBlock[] {
  const carrier = mediaOf(state);
  const takes = takesMedia(carrier === TEXTS ? [] : media ?? carrier.media);
  const parts = content.map((part): AnswerPart =>
    part.type === "file" && !takes(part.mimeType) ? { type: "text", text: nameFile(part) } : part
  );
  if (parts.some(({ type }) => type === "file")) return parts.flatMap(carrier.toBlocks);
  return parts.map((part) => part.type === "text" ? part.text : "").join("\n");
}

function mediaOf(state: unknown): ModelMedia {
  const messages = isJsonObject(state) ? state["messages"] : state;
  if (!Array.isArray(messages)) return UNKNOWN;
  const sources = messages.map(({ response_metadata: source }) => source).filter(isJsonObject);
  const { model_provider: provider, output, id } = sources.findLast((source) => "model_provider" in source) ?? {};
  switch (provider) {
    case "anthropic":
      return ANTHROPIC;
    case "google":
      return GOOGLE;
    case "openai":
      // Only Responses answers with items, and with such ids.
      return Array.isArray(output) || String(id).startsWith("resp_") ? RESPONSES : TEXTS;
    default:
      return provider === undefined ? UNKNOWN : TEXTS;
  }
}

function named(part: AnswerPart): LangChainBlock[] {
  return part.type === "text" ? [] : [{ type: "text", text: nameFile(part) }];
}

function toStandard(part: AnswerPart): LangChainBlock[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  const { data, mimeType } = part;
  return [{ type: isImage(part) ? "image" : "file", mimeType, data }];
}

function toMedia(part: AnswerPart): LangChainBlock[] {
  if (part.type === "text") return toStandard(part);
  const { data, mimeType } = part;
  return [{ type: "media", mimeType, data }];
}

function toInput(part: AnswerPart): LangChainBlock[] {
  if (part.type === "text") return [{ type: "input_text", text: part.text }];
  const { data, mimeType, name: filename = "file" } = part;
  const url = `data:${mimeType};base64,${data}`;
  if (isImage(part)) return [{ type: "input_image", detail: "auto", image_url: url }];
  return [{ type: "input_file", filename, file_data: url }];
}
