/** Makes lists of foreign tools smaller: shared parts of schemas, shorter descriptions, no schemas of answers. */
import type { Members } from "../../internal/json.ts";
import { BOOLEAN, type OptionRules, wholeNumber } from "../../internal/options.ts";
import { cutAtSentence } from "../../internal/text.ts";
import { shareParts } from "./share.ts";
import { mapSchemas } from "./subschemas.ts";

/** Options for the size of a list of tools, of `toolsFromOpenApi()` and `gateway()`. */
export interface ListSizeOptions {
  /** Whether tools list the schemas of their answers. If not, answers are validated as before. Default: `true`. */
  readonly outputSchemas?: boolean | undefined;
  /**
   * Whether equal parts of one schema are listed once, as `$defs` of this schema. It accepts the same values. Default: `false`, as
   * some clients do not follow references.
   */
  readonly shareSchemas?: boolean | undefined;
  /**
   * Maximum length of the description of a tool, in UTF-16 code units. A longer one loses the targets of its links; if it is still
   * too long, it ends after a sentence, with "…". Default: no limit.
   */
  readonly maxDescriptionChars?: number | undefined;
  /** Maximum length of each description in schemas, such as that of an argument; 0 removes them. Default: `maxDescriptionChars`. */
  readonly maxArgumentChars?: number | undefined;
}

/** Rules for {@link ListSizeOptions}, by which `checkOptions()` validates them. */
export const LIST_SIZE_RULES: OptionRules<ListSizeOptions> = {
  outputSchemas: BOOLEAN,
  shareSchemas: BOOLEAN,
  maxDescriptionChars: wholeNumber(1),
  maxArgumentChars: wholeNumber(0),
};

/** Cuts the description of a tool to `maxDescriptionChars`, at the end of a sentence or word. Without a limit it is unchanged. */
export function compactDescription(description: string, { maxDescriptionChars }: ListSizeOptions): string {
  return maxDescriptionChars === undefined ? description : cutAtSentence(description, maxDescriptionChars);
}

/** Cuts the descriptions in a schema and moves equal parts to `$defs`, as the options state. The result accepts the same values. */
export function compactSchema(schema: Members, options: ListSizeOptions): Members {
  const { shareSchemas = false, maxDescriptionChars, maxArgumentChars = maxDescriptionChars } = options;
  // Parts that differ only in the ends of their descriptions are equal afterwards.
  const described = maxArgumentChars === undefined ? schema : cutDescriptions(schema, maxArgumentChars);
  return shareSchemas ? shareParts(described) : described;
}

function cutDescriptions(schema: Members, maxChars: number): Members {
  const { description, ...rest } = schema;
  const mapped = mapSchemas(rest, (part) => cutDescriptions(part, maxChars));
  if (typeof description !== "string" || maxChars === 0) return mapped;
  return { ...mapped, description: cutAtSentence(description, maxChars) };
}
