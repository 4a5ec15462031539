/** What a handler returns, as it can be sent. The code for values that `estimateJsonSize` cannot measure is loaded with the first one. */
import type { AnswerOutcome, CallResult, FailureOutcome } from "../call/outcome.ts";
import { Future } from "../../internal/future.ts";
import { estimateJsonSize, TOO_DEEP } from "../../internal/json_size.ts";
import { formatPath } from "../../internal/text.ts";
import type { Sendable } from "./convert_value.ts";
import { type CallServices, outputLimitError, type OutputLimits } from "./services.ts";

/** The module that converts values which the size estimate cannot measure, such as bytes; loaded with the first one. */
type ConvertModule = typeof import("./convert_value.ts");

let convertModule: ConvertModule | undefined;

/**
 * Converts a value that `estimateJsonSize` cannot measure. `what` names it in errors: "output".
 *
 * @returns A promise if the code has to be loaded, or a `Blob` to be read. It rejects as the function throws.
 * @throws {TypeError} If JSON cannot express a part of the value; the message has its path, and what to return instead.
 */
export function toSendable(value: unknown, what: string, limits: OutputLimits): Sendable | Promise<Sendable> {
  return withConvertModule(({ convertValue }) => convertValue(value, { what, limits, ...SHARED }));
}

/**
 * A result, with content blocks in place of bytes, or an error: `result_too_large` if value, message, data and `_meta` together exceed
 * the limits of a server's output, `internal` if JSON cannot express them.
 *
 * @param tool Name of the tool, for the log.
 */
export function withinLimits(
  result: CallResult,
  tool: string,
  services: OutputServices,
): CallResult | Future<CallResult> {
  const { value, message, data, meta } = result as Partial<AnswerOutcome & FailureOutcome>;
  const { outputLimits } = services;
  const { answerChars, depth } = outputLimits;
  // Nested calls: a list would cost each answer more.
  const left = estimateJsonSize(
    meta,
    estimateJsonSize(data, estimateJsonSize(message, estimateJsonSize(value, answerChars, depth), depth), depth),
    depth,
  );
  return Number.isNaN(left) ? convertWithin(result, tool, services) : outputLimitError(left, outputLimits) ?? result;
}

/** Services of a server that limit the size of results, and mask errors. */
type OutputServices = Pick<CallServices, "outputLimits" | "mask">;

function convertWithin(result: CallResult, tool: string, services: OutputServices): CallResult | Future<CallResult> {
  const { outputLimits } = services;
  const mask = (thrown: unknown) => services.mask(thrown, { tool });
  const check = ({ left, value }: Sendable) => outputLimitError(left, outputLimits) ?? value as CallResult;
  try {
    const converted = withConvertModule(({ convertResult }) =>
      convertResult(result, { limits: outputLimits, ...SHARED })
    );
    return converted instanceof Promise ? Future.of(converted.then(check).catch(mask)) : check(converted);
  } catch (thrown) {
    return mask(thrown);
  }
}

const SHARED = { tooDeep: TOO_DEEP, formatPath };

function withConvertModule(use: (loaded: ConvertModule) => Sendable | Promise<Sendable>): Sendable | Promise<Sendable> {
  return convertModule === undefined ? loadConvertModule().then(use) : use(convertModule);
}

async function loadConvertModule(): Promise<ConvertModule> {
  return (convertModule ??= await import("./convert_value.ts"));
}
