import { register } from "../guarantee.ts";
import { guarantees } from "./unread_answers.ts";

register(guarantees);
