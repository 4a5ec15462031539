import { register } from "./guarantee.ts";
import { guarantees } from "./hostile.ts";

register(guarantees);
