/** Messages of an error, of its causes, of the errors that it gathers, and of the failure of the clean-up after it. */
export function messagesOf(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error)) return [];
  const gathered = thrown instanceof AggregateError ? thrown.errors : [];
  const { suppressed } = thrown as { readonly suppressed?: unknown };
  return [thrown.message, ...gathered.flatMap(messagesOf), ...messagesOf(thrown.cause), ...messagesOf(suppressed)];
}
