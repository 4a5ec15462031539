/** Version of the package, equal to that in its manifests. */
export const VERSION = "0.1.0";
