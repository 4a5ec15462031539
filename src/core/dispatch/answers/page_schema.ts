/** Schemas of pages, made from the declared output: what a tool with a budget lists, and how its pages are validated. */
import type { MaybePromise } from "../../../internal/async.ts";
import { isJsonObject, type Members } from "../../../internal/json.ts";
import { formatPath } from "../../../internal/text.ts";
import type { CompiledSchema } from "../../schema/compile.ts";
import { formatIssues } from "../../schema/issues.ts";
import { resolveReference } from "../../schema/json_schema.ts";
import type { JsonSchema, SchemaResult } from "../../schema/standard_schema.ts";
import { omitUndeclared } from "../../schema/undeclared_members.ts";
import { PAGE_MEMBERS, toTable } from "./returned_list.ts";

const TEXT_TOTAL = { type: "integer", description: "Length of the whole text" };
const ITEMS_TOTAL = { type: "integer", description: "Number of all items" };
const NOTE = { type: "string", description: "Which part this is, and how to get less" };
const CHANGED = { const: true, description: "What comes before this page has changed since the page before" };
const MORE = { type: "string", description: "Handle of what follows, for the tool `more`; absent at the end" };
const COLUMNS = { type: "array", items: { type: "string" }, description: "Names of the values of each row" };

/** Where a tool's declared output has the list, or text, that is cut into pages, and the schema of that list. */
interface PagedContent {
  /** Name of the member of a page that has the list or text. */
  readonly name: string;
  /** Schema of the list or text. */
  readonly schema: JsonSchema;
  /** Whether the output is an object with other members. */
  readonly isMember: boolean;
}

/** Finds the list of an output. `undefined` if it has none. @param name Name of the member that has it, if the output is an object. */
export function findList({ jsonSchema }: CompiledSchema, name: string | undefined): PagedContent | undefined {
  if (name === undefined) {
    if (jsonSchema["type"] === "string") return { name: "text", schema: jsonSchema, isMember: false };
    return jsonSchema["type"] === "array" ? { name: "items", schema: jsonSchema, isMember: false } : undefined;
  }
  const schema = resolve(asSchema(asSchema(jsonSchema["properties"])[name]), jsonSchema);
  return jsonSchema["type"] === "object" && schema["type"] === "array" ? { name, schema, isMember: true } : undefined;
}

/** Names of the members of an output that are lists, for advice. */
export function listsIn({ jsonSchema }: CompiledSchema): readonly string[] {
  const properties = Object.entries(asSchema(jsonSchema["properties"]));
  return properties.filter(([, schema]) => resolve(asSchema(schema), jsonSchema)["type"] === "array").map(([name]) =>
    name
  );
}

/** Names of members of an output that pages have for themselves. */
export function reservedMemberIn({ jsonSchema }: CompiledSchema, isTable: boolean): string | undefined {
  const own = isTable ? [...PAGE_MEMBERS, "columns"] : PAGE_MEMBERS;
  return own.find((member) => Object.hasOwn(asSchema(jsonSchema["properties"]), member));
}

/** Schema of pages, which validates the items as the declared schema does. */
export function pageSchema(output: CompiledSchema, list: PagedContent): CompiledSchema {
  const jsonSchema = schemaOf(output, list, false);
  if (list.name === "text" && !list.isMember) return { jsonSchema, validate: validateText };
  return {
    jsonSchema,
    validate(value) {
      const { page, own, declared } = dividePage(value, list);
      const checked = output.validate(declared);
      const join = ({ issues, value: valid }: SchemaResult): SchemaResult => {
        if (issues !== undefined) return { issues };
        const members = list.isMember ? valid as Members : { ...page, [list.name]: valid };
        return { value: { ...members, ...own } };
      };
      return checked instanceof Promise ? checked.then(join) : join(checked);
    },
  };
}

/** Schema of pages with a table, whose items {@link toCheckedTable} has validated. */
export function tableSchema(output: CompiledSchema, list: PagedContent): CompiledSchema {
  return { jsonSchema: schemaOf(output, list, true), validate: (value) => ({ value }) };
}

/**
 * A page as a table, after its items are validated.
 *
 * @param schema Schema of pages without a table.
 * @throws {TypeError} If the page does not fit it. Rejects with it, if the schema is asynchronous.
 */
export function toCheckedTable(page: Members, name: string, schema: CompiledSchema): MaybePromise<Members> {
  const convert = ({ issues, value }: SchemaResult): Members => {
    if (issues === undefined) return toTablePage(omitUndeclared(page, value, schema.jsonSchema) as Members, name);
    const [issue] = formatIssues(issues, page);
    const where = issue === undefined ? "" : ` at "${formatPath(issue.path)}": ${issue.message}`;
    throw new TypeError(`The output does not fit the declared schema${where}`);
  };
  const checked = schema.validate(page);
  return checked instanceof Promise ? checked.then(convert) : convert(checked);
}

function schemaOf({ jsonSchema }: CompiledSchema, list: PagedContent, isTable: boolean): JsonSchema {
  return list.isMember ? memberSchema(jsonSchema, list, isTable) : wholeSchema(list, isTable);
}

/** A page with its items as rows of a table. */
export function toTablePage(page: Members, name: string): Members {
  const { columns, rows } = toTable(page[name] as readonly unknown[]);
  return { columns, ...page, [name]: rows };
}

/** The parts of a text need not fit its pattern or length. */
function validateText(value: unknown): SchemaResult {
  return isJsonObject(value) && typeof value["text"] === "string"
    ? { value }
    : { issues: [{ message: "Expected a text" }] };
}

/** Divides a page into what the declared schema describes and the members that pages have for themselves. */
function dividePage(value: unknown, { name, isMember }: PagedContent) {
  const page = isJsonObject(value) ? value : {};
  const isOwn = ([member]: [string, unknown]) => PAGE_MEMBERS.includes(member);
  const entries = Object.entries(page);
  const declared = isMember ? Object.fromEntries(entries.filter((entry) => !isOwn(entry))) : page[name];
  return { page, own: Object.fromEntries(entries.filter(isOwn)), declared };
}

function wholeSchema({ name, schema: { $defs, ...schema } }: PagedContent, isTable: boolean): JsonSchema {
  const total = name === "items" ? ITEMS_TOTAL : TEXT_TOTAL;
  return {
    type: "object",
    properties: {
      ...isTable && { columns: COLUMNS },
      [name]: isTable ? rowsSchema(schema) : schema,
      total,
      more: MORE,
      note: NOTE,
      changed: CHANGED,
    },
    required: [...isTable ? ["columns"] : [], name],
    ...($defs !== undefined && { $defs }),
  };
}

function memberSchema(root: JsonSchema, { name, schema }: PagedContent, isTable: boolean): JsonSchema {
  const { properties, required = [], ...rest } = root;
  const list = isTable && { columns: COLUMNS, [name]: rowsSchema(schema) };
  return {
    ...rest,
    properties: { ...asSchema(properties), ...list, more: MORE, note: NOTE, changed: CHANGED },
    required: [...isTable ? ["columns"] : [], ...required as readonly string[]],
  };
}

/** Schema of the rows of a table. Their values are described by the columns. */
function rowsSchema({ description }: JsonSchema): JsonSchema {
  const rows = { type: "array", items: { type: "array" } };
  return typeof description === "string" ? { ...rows, description } : rows;
}

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const reference = schema["$ref"];
  return typeof reference === "string" ? asSchema(resolveReference(reference, root)) : schema;
}

function asSchema(value: unknown): JsonSchema {
  return isJsonObject(value) ? value as JsonSchema : {};
}
