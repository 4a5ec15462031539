/**
 * Types of the tool builder, the server and the client. Helpers that are generic over tools need it; it is apart from the front door, whose
 * list stays short, and has no code.
 *
 * @example The arguments of any tool
 * ```ts
 * import { defineTool } from "jsr:@toolwire/toolwire";
 * import type { PlainArguments } from "jsr:@toolwire/toolwire/types";
 *
 * const Input = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
 * const greet = defineTool("greet").describe("Greet").input(Input).handle(({ name }) => `Hello ${name}`);
 * const argument: PlainArguments<typeof Input> = { name: "Ada" };
 * console.log(greet.name + argument.name); // → greetAda
 * ```
 *
 * @module
 */
export type {
  CallArguments,
  DeclaredFailure,
  DeclaredFailureError,
  ItemOf,
  NoOptions,
  OptionInArguments,
  ToolsOf,
  ToolSource,
  TypedTools,
  UntypedTools,
} from "../client/types.ts";
export type {
  CallingClient,
  EnvOf,
  ErrorMap,
  Hosted,
  HostOf,
  OpenState,
  PrincipalOf,
  ToolCtx,
} from "../core/handler/context.ts";
export type { AroundCall, CalledTool, StateOf } from "../core/handler/middleware.ts";
export type { Answers, AnswerTo, PlainElicitRequest } from "../core/handler/questions.ts";
export type {
  CallableTool,
  InnerCallFunction,
  InnerCallOptions,
  InnerCallRest,
  MapOptions,
} from "../core/handler/inner_calls.ts";
export type {
  AttemptOptions,
  BackoffOptions,
  StepOptions,
  StepTry,
  StepValue,
  StepWork,
} from "../core/handler/steps.ts";
export type { Resolution, Resolver, WaitOptions, WaitResult } from "../core/handler/waits.ts";
export type {
  AnsweringHandler,
  AnswerOf,
  ContentOf,
  IfSendable,
  JoinedFiles,
  JoinedPartials,
  PartialOf,
  SendableReturn,
} from "../core/tool/answer_types.ts";
export type {
  CannotBeSent,
  FileData,
  HasJson,
  NameIf,
  PlainJson,
  Received,
  SendableForm,
  SendingProblem,
  SentAs,
  SentItem,
  SentList,
  SentMembers,
} from "../core/schema/received.ts";
export type {
  DescribeFirst,
  EmptyToolBuilder,
  ErrorData,
  ErrorDataOf,
  NotASchema,
  NotAView,
} from "../core/tool/builder_types.ts";
export type {
  Beside,
  DeclaredExternal,
  DeclaredHandle,
  InferredOutput,
  InferringExternal,
  InferringHandle,
  MemberPage,
  PagedReturn,
  PagedToolBuilder,
  PageOf,
  PartMember,
  PartPage,
  WholePage,
} from "../core/tool/last_steps.ts";
export type {
  AllOf,
  AnySchema,
  ItemsOf,
  MembersOf,
  PlainArguments,
  PlainSchema,
  PlainValue,
  RequiredOf,
  ValueOfType,
} from "../core/schema/plain_schema.ts";
export type { FileBlock } from "../core/call/file_block.ts";
export type { ToolTypes } from "../core/tool/definition.ts";
export type { Json, JsonObject, Optional } from "../internal/json.ts";
export type { AllTools, Composable, ComposableOptions, ServerPart } from "../server/server_options.ts";
export type { MemoryServer, RenderingTool } from "../wires/memory/client/transport.ts";
export type { McpOnlyLevel } from "../core/call/outcome.ts";
