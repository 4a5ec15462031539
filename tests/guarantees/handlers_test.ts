import { register } from "./guarantee.ts";
import { guarantees } from "./handlers.ts";

register(guarantees);
