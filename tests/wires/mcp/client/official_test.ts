import { OFFICIAL_IN_PROCESS } from "./official_rows.ts";
import { testOfficial } from "./official_suite.ts";

testOfficial(OFFICIAL_IN_PROCESS);
