import type { Dispatch } from "../../core/dispatch/dispatcher.ts";

/** The dispatch of a server as the wires of a view of it have it: calls are those of the view, the rest is the server's. */
export function viewDispatch(dispatch: Dispatch, call: Dispatch["call"]): Dispatch {
  return {
    call,
    run: (definition, call, sink) => dispatch.run(definition, call, sink),
    mask: (thrown, fields) => dispatch.mask(thrown, fields),
    log: (level, message, fields) => dispatch.log(level, message, fields),
    get deferral() {
      return dispatch.deferral;
    },
    get isClosed() {
      return dispatch.isClosed;
    },
    get closeSignal() {
      return dispatch.closeSignal;
    },
    get observer() {
      return dispatch.observer;
    },
    set observer(observer) {
      dispatch.observer = observer;
    },
  };
}
