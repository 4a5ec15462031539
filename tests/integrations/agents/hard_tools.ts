/** Tools whose schemas vendors take in different ways, as servers list them. */
import type { ListedTool, Transport } from "../../../src/core/call/transport.ts";

const DATE = { type: "string", format: "date", description: "A day" };

/** The tools. */
export const HARD_TOOLS: readonly ListedTool[] = [
  { name: "no_arguments", description: "Has no arguments", inputSchema: { type: "object" } },
  { name: "undescribed", inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
  {
    name: "crm.find-contacts",
    description: "Has optional arguments with defaults, bounds, patterns and formats; and examples",
    annotations: { readOnlyHint: true },
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 200 },
        limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        country: { type: "string", pattern: "^[A-Z]{2}$" },
        since: { type: "string", format: "date-time" },
        score: { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 },
        tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 5, uniqueItems: true },
      },
      required: ["query"],
      additionalProperties: false,
      examples: [{ query: "Ada", limit: 5 }, { query: "Grace", tags: ["navy"] }],
    },
    outputSchema: { type: "array", items: { type: "object", properties: { id: { type: "string" } } } },
  },
  {
    name: "crm.merge",
    description: "Has alternatives at the root",
    annotations: { destructiveHint: true },
    inputSchema: {
      type: "object",
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "contact" }, ids: { type: "array", items: { type: "string" } } },
        },
        { type: "object", properties: { kind: { const: "company" }, id: { type: "integer" } }, required: ["id"] },
      ],
    },
  },
  {
    name: "crm.tree",
    description: "Has a definition that contains itself",
    inputSchema: {
      type: "object",
      properties: { root: { $ref: "#/$defs/node", description: "The first node" } },
      required: ["root"],
      additionalProperties: false,
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name", "children"],
          additionalProperties: false,
        },
      },
    },
  },
  {
    name: "files.write",
    description: "Has a record, an open object and any value",
    inputSchema: {
      type: "object",
      properties: {
        headers: { type: "object", additionalProperties: { type: "string" } },
        options: { type: "object", properties: { overwrite: { type: "boolean" } } },
        content: {},
      },
      required: ["headers", "content"],
    },
  },
  {
    name: "files.move",
    description: "Has nullable and constant values, and enumerations of numbers",
    inputSchema: {
      type: "object",
      properties: {
        from: { type: "string" },
        to: { type: ["string", "null"], description: "null for the trash" },
        owner: { anyOf: [{ type: "string", format: "email" }, { type: "null" }] },
        mode: { enum: [400, 600, 644] },
        version: { const: 2 },
        method: { type: "string", enum: ["copy", "link"] },
      },
      required: ["from", "to", "owner", "mode", "version", "method"],
      additionalProperties: false,
    },
  },
  {
    name: "files.range",
    description: "Has tuples and nested arrays",
    inputSchema: {
      type: "object",
      properties: {
        range: { type: "array", prefixItems: [{ type: "integer" }, { type: "integer" }], items: false, minItems: 2 },
        matrix: { type: "array", items: { type: "array", items: { type: "number" } } },
      },
      required: ["range", "matrix"],
      additionalProperties: false,
    },
  },
  {
    name: "reports.plan",
    description: "Has allOf, a shared definition beside other keywords, and conditions",
    inputSchema: {
      type: "object",
      properties: {
        period: {
          allOf: [
            { type: "object", properties: { from: { $ref: "#/$defs/date" } }, required: ["from"] },
            { type: "object", properties: { to: { $ref: "#/$defs/date", description: "The last day" } } },
          ],
        },
        recurring: { type: "boolean" },
        not_empty: { type: "string", not: { const: "" } },
      },
      required: ["period"],
      if: { properties: { recurring: { const: true } } },
      then: { required: ["not_empty"] },
      $defs: { date: DATE },
    },
  },
  {
    name: "reports.filter",
    description: "Has names of properties that vendors refuse",
    inputSchema: {
      type: "object",
      properties: { "filter[id]": { type: "string" }, "sort by": { type: "string" }, $top: { type: "integer" } },
      required: ["filter[id]"],
      additionalProperties: false,
    },
  },
  {
    name: `reports.${"a_name_that_is_too_long_".repeat(4)}`,
    description: `Has a long name and a long description. ${"It says the same again. ".repeat(30)}`.trim(),
    inputSchema: { $ref: "#/$defs/input", $defs: { input: { type: "object", properties: { day: DATE } } } },
  },
  {
    name: "pinned",
    description: "Is always loaded",
    _meta: { "anthropic/alwaysLoad": true },
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  },
];

/** A server that lists them, and answers with the name of the called tool. */
export const hardTools: Transport = {
  list: () => HARD_TOOLS,
  call: ({ tool }) => ({ kind: "answer", value: tool }),
};

/** Group of a tool: what is before the point. */
export function groupOf({ name }: ListedTool): string | undefined {
  return name.includes(".") ? name.split(".")[0] : undefined;
}
