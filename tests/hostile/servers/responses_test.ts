import { register } from "../guarantee.ts";
import { guarantees } from "./responses.ts";

register(guarantees);
