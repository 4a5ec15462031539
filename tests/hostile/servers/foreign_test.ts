/** Runs the guarantees about lists and patterns of other servers. */
import { register } from "../guarantee.ts";
import { guarantees } from "./foreign.ts";

register(guarantees);
