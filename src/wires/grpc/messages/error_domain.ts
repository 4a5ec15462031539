/** Whose reasons a `google.rpc.ErrorInfo` of ours gives. */
export const ERROR_DOMAIN = "toolwire";
