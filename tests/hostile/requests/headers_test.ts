import { register } from "../guarantee.ts";
import { guarantees } from "./headers.ts";

register(guarantees);
