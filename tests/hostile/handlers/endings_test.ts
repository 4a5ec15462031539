import { guarantees } from "./endings.ts";
import { register } from "../guarantee.ts";

register(guarantees);
