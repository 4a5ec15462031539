/**
 * Types for authors of engines: the contract of a store that keeps deferred work and delivers it to workers.
 *
 * @module
 */
export type { AskAnswer, Engine, EngineWorker, Job, JobState, Memo, WorkOptions } from "./engine.ts";
