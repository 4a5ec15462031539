import { register } from "../guarantee.ts";
import { guarantees } from "./limits.ts";

register(guarantees);
