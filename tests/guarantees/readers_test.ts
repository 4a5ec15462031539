import { register } from "./guarantee.ts";
import { guarantees } from "./readers.ts";

register(guarantees);
