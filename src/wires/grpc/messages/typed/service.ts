/** The typed service of a server: a method and messages for each tool, made of the tools as they are listed. */
import { readContract } from "../../../../core/call/listed_contract.ts";
import { isSystemTool, type ListedTool } from "../../../../core/call/transport.ts";
import { asObject } from "../../../../internal/json.ts";
import { takeName, typeNameOf } from "./names.ts";
import { readMessage } from "./schema_reader.ts";
import { createMessage, type FieldType, type MessageField, type MessageType, type OpenMessage } from "./types.ts";

/** Description of a server's typed service: a method for each tool, and messages made of JSON Schemas. */
export interface TypedServiceType {
  readonly package: string;
  /** Name with the package. */
  readonly typeName: string;
  readonly methods: readonly TypedMethod[];
  /** Messages that no other contains, each before those that use it. */
  readonly messages: readonly MessageType[];
}

/** A method of the typed service: it calls a tool, or redeems the promises of a tool. */
export interface TypedMethod {
  readonly name: string;
  /** Name of the tool that it calls. */
  readonly tool: string;
  readonly input: MessageType;
  /** The output itself, or a `oneof` with the output, if the tool streams or promises. */
  readonly response: MessageType;
  readonly output: MessageType;
  readonly isStream: boolean;
  /** The tool, for comments. For a method that redeems, the tool that promised. */
  readonly listed: ListedTool;
}

/** Returns the service with some of its tools, and with the same names. */
export function selectTools(service: TypedServiceType, isSelected: (tool: string) => boolean): TypedServiceType {
  const methods = service.methods.filter(({ listed }) => isSelected(listed.name));
  const used = new Set<MessageType>();
  const open = methods.flatMap(({ input, response }) => [input, response]);
  for (let message = open.pop(); message !== undefined; message = open.pop()) {
    if (used.has(message)) continue;
    used.add(message);
    for (const { type } of message.fields) if (type.kind === "message") open.push(type.message);
  }
  return { ...service, methods, messages: service.messages.filter((message) => used.has(message)) };
}

/** Name of every typed service in its package. */
const SERVICE = "Tools";

/** Makes the service of the tools that are listed, in the order of their names. */
export function createTypedService(tools: readonly ListedTool[], packageName: string): TypedServiceType {
  return new ServiceWriter(packageName).write(tools.toSorted((one, other) => one.name < other.name ? -1 : 1));
}

/** Makes the service `Tools`: a method and messages for each tool, with names that are taken once. */
class ServiceWriter {
  readonly #package: string;
  readonly #methods: TypedMethod[] = [];
  readonly #messages: MessageType[] = [];
  readonly #taken = new Set<string>();
  #promise: MessageType | undefined;
  #progress: MessageType | undefined;

  constructor(packageName: string) {
    this.#package = packageName;
  }

  write(tools: readonly ListedTool[]): TypedServiceType {
    const redeem = tools.find((tool) => isSystemTool(tool) && tool.name === "redeem");
    const promising = tools.filter((tool) => tool !== redeem).flatMap((tool) => this.#addTool(tool));
    if (redeem !== undefined && promising.length > 0) this.#addRedeem(redeem, promising);
    return {
      package: this.#package,
      typeName: `${this.#package}.${SERVICE}`,
      methods: this.#methods,
      messages: this.#messages,
    };
  }

  /** Adds the method of a tool; returns it if the tool may promise. */
  #addTool(listed: ListedTool): TypedMethod[] {
    const { partialSchema, promises, wrapsOutput } = readContract(listed);
    const name = takeName(typeNameOf(listed.name), this.#taken);
    const { inputSchema = { type: "object" }, outputSchema } = listed;
    const input = this.#addMessage(`${name}Input`, inputSchema, "arguments");
    const outputPart = wrapsOutput === true ? asObject(outputSchema?.["properties"])["result"] : outputSchema;
    const output = this.#addMessage(`${name}Output`, outputPart, "result", outputSchema);
    const partial = partialSchema && this.#addMessage(`${name}Partial`, partialSchema, "partial");
    const response = partial === undefined && promises === undefined
      ? output
      : this.#addResponse(`${name}Response`, output, partial, promises !== undefined);
    const method = { name, tool: listed.name, input, response, output, isStream: partial !== undefined, listed };
    this.#methods.push(method);
    return promises === undefined ? [] : [method];
  }

  /** @param root Schema that references are relative to. */
  #addMessage(name: string, schema: unknown, singleName: string, root: unknown = schema): MessageType {
    const message = createMessage(this.#package, name, schema);
    readMessage({ schema, root }, message, singleName);
    this.#messages.push(message);
    return message;
  }

  /** The outcomes of a tool that has more than one. Numbers are fixed, so that a tool may stream or promise later. */
  #addResponse(name: string, output: MessageType, partial: MessageType | undefined, promises: boolean): MessageType {
    const fields: MessageField[] = [field("output", 1, messageOf(output))];
    if (promises) fields.push(field("promise", 2, messageOf(this.#promiseMessage())));
    if (partial !== undefined) {
      fields.push(field("partial", 3, messageOf(partial)), field("progress", 4, messageOf(this.#progressMessage())));
    }
    return this.#addFixed(name, fields, "oneof");
  }

  /** Methods that redeem promises, with the outputs of the tools that promised. */
  #addRedeem(redeem: ListedTool, promising: readonly TypedMethod[]): void {
    const input = this.#addMessage("RedeemInput", redeem.inputSchema, "arguments");
    for (const { name, output, listed } of promising) {
      const response = this.#addResponse(`Redeem${name}Response`, output, undefined, true);
      const methodName = takeName(`Redeem${name}`, this.#taken);
      this.#methods.push({ name: methodName, tool: redeem.name, input, response, output, isStream: false, listed });
    }
  }

  #promiseMessage(): MessageType {
    return this.#promise ??= this.#addFixed("Promise", [
      field("token", 1, STRING),
      field("expires_at", 2, INT64),
      field("estimated_completion", 3, INT64, "omitted"),
      field("retry_after_ms", 4, INT32),
      field("progress", 5, messageOf(this.#progressMessage()), "omitted"),
    ]);
  }

  #progressMessage(): MessageType {
    return this.#progress ??= this.#addFixed("Progress", [
      field("done", 1, DOUBLE),
      field("total", 2, DOUBLE, "omitted"),
      field("message", 3, STRING, "omitted"),
    ]);
  }

  #addFixed(name: string, fields: readonly MessageField[], form: MessageType["form"] = "object"): MessageType {
    const message: OpenMessage = createMessage(this.#package, name);
    message.form = form;
    message.fields.push(...fields);
    this.#messages.push(message);
    return message;
  }
}

const STRING: FieldType = { kind: "string" };
const DOUBLE: FieldType = { kind: "double" };
const INT32: FieldType = { kind: "int32" };
const INT64: FieldType = { kind: "int64" };

function messageOf(message: MessageType): FieldType {
  return { kind: "message", message };
}

function field(key: string, number: number, type: FieldType, absent: MessageField["absent"] = "zero"): MessageField {
  return { key, name: key, number, type, absent };
}
