/**
 * Validates the metadata of prompts and resources when they are defined. Otherwise a client would be the first to find
 * a wrong type.
 */
import type { Icon } from "../call/content.ts";
import { checkOptions, oneOf, type OptionRules, required, rule, TEXT, TEXTS } from "../../internal/options.ts";

/** Metadata that a prompt or a resource may have in its listing. */
export interface ContentDescription {
  /** Title for people. */
  readonly title?: string;
  readonly description?: string;
  /** Media type of the contents. */
  readonly mimeType?: string;
  readonly icons?: readonly Icon[];
}

const ABOUT: OptionRules<ContentDescription> = {
  title: TEXT,
  description: TEXT,
  mimeType: TEXT,
  icons: rule("an array of { src, mimeType?, sizes?, theme? }", Array.isArray),
};

const ICON: OptionRules<Icon> = {
  src: required(TEXT),
  mimeType: TEXT,
  sizes: TEXTS,
  theme: oneOf("light", "dark"),
};

/** Checks title, description, media type and icons of a prompt or resource. @throws {TypeError} If one has the wrong type or is empty. */
export function checkDescription(label: string, about: ContentDescription): void {
  checkOptions(`define ${label}`, about, ABOUT);
  for (const icon of about.icons ?? []) checkOptions(`give ${label} an icon`, icon, ICON);
}
