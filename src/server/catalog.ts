import type { ContentCatalog, Prompt, Resource, RunDefinition } from "../core/content/content_catalog.ts";

/**
 * The catalog of a server; `undefined` if it offers nothing but tools. Prompts and resources bring its code along.
 *
 * @throws {TypeError} If a definition is not finished, or two have the same name or URI.
 */
export function makeCatalog(
  resources: readonly Resource[],
  prompts: readonly Prompt[],
  run: RunDefinition,
): ContentCatalog | undefined {
  const [first] = [...resources, ...prompts];
  return first?.["~catalog"](resources, prompts, run);
}
