/**
 * What prompts and resources say of themselves, held to rules where it is said: clients would find a wrong type first.
 *
 * @module
 */
import type { Icon } from "../call/content.ts";
import { checkOptions, oneOf, type OptionRules, required, rule, TEXT, TEXTS } from "../../internal/options.ts";

/** What is said. */
export interface ContentDescription {
  /** A title for people. */
  readonly title?: string;
  /** What it is. */
  readonly description?: string;
  /** Type of what is read. */
  readonly mimeType?: string;
  /** Images that stand for it. */
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

/** @throws {TypeError} If something is not of the right kind, or empty. */
export function checkDescription(label: string, about: ContentDescription): void {
  checkOptions(`define ${label}`, about, ABOUT);
  for (const icon of about.icons ?? []) checkOptions(`give ${label} an icon`, icon, ICON);
}
