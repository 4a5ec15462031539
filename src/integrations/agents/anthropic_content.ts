/** Blocks of Anthropic's Messages in answers of tools. */
import { type AnswerPart, type AnswerText, isImage } from "./answer_content.ts";

/** A tool that a search found: the API puts its definition in place. */
export interface AnthropicToolReference {
  /** Discriminant. */
  type: "tool_reference";
  /** The name that the model knows. */
  tool_name: string;
}

/** A text block of an answer that has files. Answers without files are one string. */
export interface AnthropicText {
  /** Discriminant. */
  type: "text";
  /** The text. */
  text: string;
}

/** An image of an answer. Files of other media types than these and PDF are sent as text that only names them. */
export interface AnthropicImage {
  /** Discriminant. */
  type: "image";
  /** The bytes. */
  source: {
    /** Discriminant. */
    type: "base64";
    /** Media type. */
    media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
    /** The bytes, in base64. */
    data: string;
  };
}

/** A PDF document of an answer. */
export interface AnthropicDocument {
  /** Discriminant. */
  type: "document";
  /** The bytes. */
  source: {
    /** Discriminant. */
    type: "base64";
    /** Media type. */
    media_type: "application/pdf";
    /** The bytes, in base64. */
    data: string;
  };
  /** Name of the file. */
  title?: string;
}

/** A text of an answer that the model can cite by its source. */
export interface AnthropicSearchResult {
  /** Discriminant. */
  type: "search_result";
  /** URI of the text. */
  source: string;
  /** Name of the text: the last part of its URI. */
  title: string;
  /** The text. */
  content: AnthropicText[];
  /** The model's answer says what it took from where. */
  citations: {
    /** Discriminant. */
    enabled: true;
  };
}

/** A block of an answer that has files, or texts with sources. */
export type AnthropicContent = AnthropicText | AnthropicImage | AnthropicDocument | AnthropicSearchResult;

/**
 * Makes the block of a part of an answer.
 *
 * @param isCited Whether a text with a URI can be cited.
 */
export function toBlock(part: AnswerPart, isCited: boolean): AnthropicContent {
  if (part.type === "text") {
    return isCited && part.uri !== undefined ? toSearchResult(part, part.uri) : toTextBlock(part);
  }
  const { data, mimeType, name } = part;
  if (isImage(part)) {
    const media_type = mimeType as AnthropicImage["source"]["media_type"];
    return { type: "image", source: { type: "base64", media_type, data } };
  }
  const source = { type: "base64", media_type: mimeType as "application/pdf", data } as const;
  return { type: "document", source, ...(name !== undefined && { title: name }) };
}

function toTextBlock({ text }: AnswerText): AnthropicText {
  return { type: "text", text };
}

function toSearchResult(part: AnswerText, uri: string): AnthropicSearchResult {
  const title = uri.split("/").findLast((name) => name !== "") ?? uri;
  return { type: "search_result", source: uri, title, content: [toTextBlock(part)], citations: { enabled: true } };
}
