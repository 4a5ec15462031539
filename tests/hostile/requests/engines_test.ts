import { register } from "../guarantee.ts";
import { guarantees } from "./engines.ts";

register(guarantees);
