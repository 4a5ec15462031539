/** Middleware that records each call that passes through it. */
import { mapMaybe } from "../../../src/internal/async.ts";
import type { Middleware } from "../../../src/core/handler/middleware.ts";
import { Recorder, type RecorderOptions } from "../../../src/inspection/recording/recorder.ts";

/** Writes the first line of a recording, and returns middleware that writes each call of a tool with its events and result. */
export function createRecorder(options: RecorderOptions): Middleware {
  const recorder = new Recorder(options);
  return (ctx, next) => {
    const { call, tool: { name } } = ctx;
    const end = recorder.begin({ call, name, onEvent: (listener) => ctx.onEvent(listener) });
    if (end === undefined) return next();
    return mapMaybe(next(), (result) => {
      end(result);
      return result;
    });
  };
}
