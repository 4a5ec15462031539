/** The version of the package, as its manifests have it. */
export const VERSION = "0.1.0";
