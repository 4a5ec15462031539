import { guarantees } from "./bodies.ts";
import { register } from "../guarantee.ts";

register(guarantees);
