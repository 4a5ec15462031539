import { describeUnknown } from "../../internal/text.ts";

/**
 * Checks the names of the tools of a server against those that its view adds and pins.
 *
 * @param view Name of the function that made the view.
 * @throws {TypeError} If a pinned tool does not exist, or a name of the view is taken.
 */
export function assertNames(
  view: string,
  names: readonly string[],
  own: ReadonlySet<string>,
  pinned: readonly string[],
): void {
  const taken = names.find((name) => own.has(name));
  if (taken !== undefined) {
    throw new TypeError(`Cannot create server: "${taken}" is a tool of ${view}(); give your tool another name`);
  }
  const missing = pinned.find((name) => !names.includes(name));
  if (missing === undefined) return;
  const { suggestion } = describeUnknown("tool", missing, names);
  throw new TypeError(
    `Cannot create server: ${view}() pins the tool "${missing}", which does not exist. ${suggestion}`,
  );
}
