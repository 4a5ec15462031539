import { register } from "../guarantee.ts";
import { guarantees } from "./slow_readers.ts";

register(guarantees);
