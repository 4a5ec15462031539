import { register } from "../guarantee.ts";
import { guarantees } from "./origins.ts";

register(guarantees);
