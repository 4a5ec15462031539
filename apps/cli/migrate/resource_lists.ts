/** Lists of a template's resources: their URIs become variables of the template. */
import { Node, type ObjectLiteralExpression } from "ts-morph";
import type { Draft } from "./draft.ts";
import { type Fn, isFn } from "./functions.ts";
import { unwrapReturns } from "./content_results.ts";
import { bare, membersOf } from "./registrations.ts";

/** Facts of a template that its list needs. */
export interface TemplateFacts {
  readonly uri: string;
  /** Title and metadata of the template: the resources that it lists had them, too, if they have none. */
  readonly title: Node | undefined;
  readonly meta: Node | undefined;
}

/** Returns the `list` function of a `ResourceTemplate` as text for `.list()`: URIs become variables. `undefined` without one. */
export function listText(draft: Draft, list: Node | undefined, template: TemplateFacts): string | undefined {
  if (list === undefined || list.getText() === "undefined") return undefined;
  if (!isFn(list)) {
    draft.todo(list, "list");
    return draft.render(list);
  }
  const resources = list.getDescendants().filter(Node.isObjectLiteralExpression).filter((one) =>
    membersOf(one)?.has("uri")
  );
  if (resources.length === 0 || !resources.every((one) => convertListed(draft, one, template))) {
    draft.todo(list, "list");
  }
  unwrapReturns(draft, list as Fn, "resources", (value) => draft.render(value), () => "_");
  return draft.render(list);
}

function convertListed(
  draft: Draft,
  listed: ObjectLiteralExpression,
  { uri: template, title, meta }: TemplateFacts,
): boolean {
  const uri = listed.getProperty("uri");
  const value = Node.isPropertyAssignment(uri) ? bare(uri.getInitializer()) : undefined;
  const variables = value === undefined ? undefined : variablesOf(value, template);
  if (uri === undefined || variables === undefined) return false;
  const texts = variables.map(([name, text]) => name === text ? name : `${name}: ${text}`);
  const own = listed.getProperty("_meta");
  if (Node.isPropertyAssignment(own)) draft.replace(own.getNameNode(), "meta");
  const inherited = [
    ...(title === undefined || listed.getProperty("title") !== undefined ? [] : [`title: ${draft.render(title)}`]),
    ...(meta === undefined || own !== undefined ? [] : [`meta: ${draft.render(meta)}`]),
  ];
  draft.replace(uri, [`variables: { ${texts.join(", ")} }`, ...inherited].join(", "));
  return true;
}

/** Variables of a URI that is written as the template is: `books://${id}` for `books://{id}`. */
function variablesOf(uri: Node, template: string): readonly (readonly [string, string])[] | undefined {
  const names = [...template.matchAll(/\{\+?(\w+)\}/g)].map(([, name = ""]) => name);
  const fixed = template.split(/\{\+?\w+\}/);
  if (Node.isStringLiteral(uri)) {
    const pattern = new RegExp(`^${fixed.map(escapePattern).join("(.+?)")}$`);
    const found = pattern.exec(uri.getLiteralValue());
    return found === null ? undefined : names.map((name, index) => [name, JSON.stringify(found[index + 1])]);
  }
  if (!Node.isTemplateExpression(uri)) return undefined;
  const spans = uri.getTemplateSpans();
  const texts = [uri.getHead().getLiteralText(), ...spans.map((span) => span.getLiteral().getLiteralText())];
  if (texts.length !== fixed.length || texts.some((text, index) => text !== fixed[index])) return undefined;
  return names.map((name, index) => [name, asText(spans[index]?.getExpression().getText() ?? name)]);
}

/** `encodeURIComponent(x)` is x: templates encode their variables. */
function asText(text: string): string {
  return /^encodeURIComponent\((.+)\)$/.exec(text)?.[1] ?? text;
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
