import { register } from "../guarantee.ts";
import { guarantees } from "./results.ts";

register(guarantees);
