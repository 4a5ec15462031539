/** Asks for the fields of a form: the answer to an elicitation, by its JSON Schema. */
import { asObject, isJsonObject, type Members, typedOr } from "../../../src/internal/json.ts";
import { accepts, convertText } from "../arguments/convert.ts";
import { schemaAt, type SchemaNode } from "../arguments/schema_at.ts";
import { printableLine } from "../terminal/terminal.ts";
import type { Choice, Prompter } from "./prompter.ts";

/** One field of a form. */
interface Field {
  readonly name: string;
  readonly schema: Members;
  readonly isRequired: boolean;
  readonly root: Members;
  /** Value that is offered: of a flag, else the default. */
  readonly initial: unknown;
}

/** The choice to leave a field out. */
const LEFT_OUT: unique symbol = Symbol("left out");

/**
 * Asks a person for each top-level field of a form: a choice for enumerations and booleans, else a text, which is JSON for nested values.
 *
 * @param schema Schema of the answer, an object.
 * @param known Values that are known already. They are offered in place of the defaults, and the person can change them.
 * @returns The content of the answer; `undefined` if the person cancels.
 */
export async function askForm(schema: Members, known: Members, prompter: Prompter): Promise<Members | undefined> {
  const content: Record<string, unknown> = {};
  for (const field of fieldsOf(schema, known)) {
    const value = await askField(field, prompter);
    if (value === undefined) return undefined;
    if (value !== LEFT_OUT) content[field.name] = value;
  }
  return content;
}

function fieldsOf(root: Members, known: Members): readonly Field[] {
  const required: readonly unknown[] = Array.isArray(root["required"]) ? root["required"] : [];
  return Object.keys(asObject(root["properties"])).map((name) => {
    const schema = asObject(schemaAt(root, name, root));
    return { name, schema, root, isRequired: required.includes(name), initial: known[name] ?? schema["default"] };
  });
}

/** Returns the value, `LEFT_OUT`, or `undefined` if the person cancels. */
async function askField(field: Field, prompter: Prompter): Promise<unknown> {
  const { schema, initial } = field;
  const choices = choicesOf(schema);
  if (choices !== undefined) return await prompter.choose(labelOf(field), withLeftOut(choices, field), initial);
  const items = schema["type"] === "array" ? choicesOf(asObject(schema["items"])) : undefined;
  if (items === undefined) return await askText(field, prompter);
  return await prompter.chooseMany(labelOf(field), items, Array.isArray(initial) ? initial : []);
}

async function askText(field: Field, prompter: Prompter): Promise<unknown> {
  const { schema, initial, isRequired, root } = field;
  const text = await prompter.text(labelOf(field), {
    initial: initial === undefined ? undefined : typeof initial === "string" ? initial : JSON.stringify(initial),
    isSecret: schema["format"] === "password" || schema["writeOnly"] === true,
    validate(text) {
      if (text === "" && !isRequired) return undefined;
      return accepts(schema, convertText(text, schema, root), root) ? undefined : `Expected ${expectationOf(schema)}`;
    },
  });
  if (text === undefined) return undefined;
  return text === "" && !isRequired ? LEFT_OUT : convertText(text, schema, root);
}

/** The values of a boolean, an enumeration, or a union of constants with titles. */
function choicesOf(schema: Members): readonly Choice<unknown>[] | undefined {
  const { type, enum: values, enumNames } = schema;
  if (type === "boolean") return [{ value: true, label: "Yes" }, { value: false, label: "No" }];
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, at) => ({ value, label: printableLine(String(names[at] ?? value)) }));
  }
  const union = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(union) || !union.every((one) => isJsonObject(one) && "const" in one)) return undefined;
  return union.map(asObject).map(({ const: value, title }) => {
    return { value, label: printableLine(typedOr(title, String(value))) };
  });
}

function withLeftOut(choices: readonly Choice<unknown>[], { isRequired }: Field): readonly Choice<unknown>[] {
  return isRequired ? choices : [...choices, { value: LEFT_OUT, label: "(leave out)" }];
}

function labelOf({ name, schema: { title, description }, isRequired }: Field): string {
  const label = typeof title === "string" ? title : name;
  const details = typeof description === "string" ? `: ${description}` : "";
  return printableLine(`${label}${isRequired ? "" : " (optional)"}${details}`);
}

function expectationOf(schema: SchemaNode): string {
  const { type, format, minimum, maximum, minLength, maxLength, pattern } = asObject(schema);
  const parts = [
    typeof type === "string" ? type : "another value",
    format,
    minimum === undefined ? undefined : `at least ${minimum}`,
    maximum === undefined ? undefined : `at most ${maximum}`,
    minLength === undefined ? undefined : `at least ${minLength} characters`,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    pattern === undefined ? undefined : `matching ${pattern}`,
  ];
  return printableLine(parts.filter((part) => part !== undefined).join(", "));
}
