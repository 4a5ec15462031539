import { register } from "./guarantee.ts";
import { guarantees } from "./requests.ts";

register(guarantees);
