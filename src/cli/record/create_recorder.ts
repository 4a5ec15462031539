/** Middleware that records each call that passes through it. */
import { mapMaybe } from "../../internal/async.ts";
import type { Middleware } from "../../core/handler/middleware.ts";
import { Recorder, type RecorderOptions } from "../../core/recording/recorder.ts";

/** Writes the first line, and returns the middleware that writes the others. */
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
