import { guarantees } from "./calls.ts";
import { register } from "./guarantee.ts";

register(guarantees);
