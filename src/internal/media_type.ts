/** Whether a `Content-Type` names JSON in UTF-8: `application/json`, with no charset or with `utf-8`. */
export function isJsonMediaType(contentType: string | null): boolean {
  if (contentType === "application/json") return true;
  if (contentType === null) return false;
  const [type, ...parameters] = contentType.split(";").map((part) => part.trim().toLowerCase());
  return type === "application/json" && parameters.every(isUtf8Parameter);
}

function isUtf8Parameter(parameter: string): boolean {
  return !/^charset\s*=/.test(parameter) || /^charset\s*=\s*"?utf-?8"?$/.test(parameter);
}

/** Whether an `Accept` header names `text/event-stream` with a quality above zero. Wildcards do not name it. */
export function acceptsEventStream(accept: string | null): boolean {
  if (accept === null || !/text\/event-stream/i.test(accept)) return false;
  return accept.split(",").some((range) => {
    const [type, ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/event-stream" && !parameters.some((parameter) => /^q\s*=\s*0(\.0*)?$/.test(parameter));
  });
}
