import { register } from "../guarantee.ts";
import { guarantees } from "./compression.ts";

register(guarantees);
