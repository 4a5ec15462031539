import { OFFICIAL_PROGRAMS } from "./official_rows.ts";
import { testOfficial } from "./official_suite.ts";

testOfficial(OFFICIAL_PROGRAMS);
