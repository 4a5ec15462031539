import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { test } from "node:test";
import type { Logger } from "../../../src/core/handler/context.ts";
import {
  ErrorThrottle,
  importPackage,
  MissingPackageError,
  storeName,
} from "../../../src/jobs/engines/store_errors.ts";
import { BullmqWorker } from "../../../src/jobs/engines/bullmq/worker.ts";
import { redisName } from "../../../src/jobs/engines/redis/address.ts";
import { isPermanentError } from "../../../src/jobs/engines/redis/channels.ts";
import { KeptLog } from "../../core/dispatch/harness.ts";
import { errorLogger } from "./fixture.ts";

test("ErrorThrottle logs the first error of each outage, with the name of the store", () => {
  const errors: unknown[] = [];
  const throttle = new ErrorThrottle("The store failed", errorLogger((error) => errors.push(error)), "Redis at a:1");
  throttle.report(new Error("refused"));
  throttle.report(new Error("refused again"));
  strictEqual(throttle.hasFailed, true);
  throttle.succeed();
  strictEqual(throttle.hasFailed, false);
  throttle.report(throttle.toStoreError(new Error("gone")));
  throttle.succeed();
  throttle.close();
  throttle.report(new Error("closed"));
  deepStrictEqual(errors.map(String), ["StoreError: Redis at a:1: refused", "StoreError: Redis at a:1: gone"]);
});

test("ErrorThrottle logs a missing package once, as what to install, and not as an outage of the store", () => {
  const log = new KeptLog();
  const throttle = new ErrorThrottle("The engine cannot reach its store, and retries", log, "Redis at a:1");
  const missing = new MissingPackageError("Cannot use the engine: it needs bullmq; run npm install bullmq");
  for (const error of [missing, throttle.toStoreError(missing), missing]) {
    throttle.report(error);
    throttle.succeed();
  }
  deepStrictEqual(log.lines.map(({ level, message }) => [level, message]), [["error", missing.message]]);
});

test("a request to Redis without its package is not sent again", () => {
  const throttle = new ErrorThrottle("The store failed", new KeptLog(), "Redis at a:1");
  strictEqual(isPermanentError(throttle.toStoreError(new MissingPackageError("run npm install ioredis"))), true);
  strictEqual(isPermanentError(throttle.toStoreError(new Error("refused"))), false);
});

test("a worker of the bullmq engine whose package is missing says what to install, and does not try again", async () => {
  const logged = Promise.withResolvers<string>();
  const log: Logger = { debug() {}, info() {}, warn: logged.resolve, error: logged.resolve };
  const errors = new ErrorThrottle("The engine cannot reach its store", log);
  const open = () => Promise.reject(new MissingPackageError("run npm install bullmq"));
  const worker = new BullmqWorker(open, { name: "a", leaseMs: 1, timeoutMs: 1_000, errors }, () => {});
  try {
    strictEqual(await logged.promise, "run npm install bullmq");
    strictEqual(worker.isStopping, true);
  } finally {
    await worker.stop();
  }
});

test("ErrorThrottle survives a logger that throws", () => {
  const broken = (): never => {
    throw new Error("no disk");
  };
  const logger: Logger = { debug: broken, info: broken, warn: broken, error: broken };
  const throttle = new ErrorThrottle("The store failed", logger);
  throttle.report(new Error("refused"));
  strictEqual(throttle.hasFailed, true);
});

test("storeName() and redisName() leave out credentials", () => {
  strictEqual(storeName("PostgreSQL", "postgres://user:secret@db:5432/app"), "PostgreSQL at db:5432");
  strictEqual(storeName("PostgreSQL", "host=db password=secret"), "PostgreSQL");
  strictEqual(redisName("redis://user:secret@cache:6379/0"), "Redis at cache:6379");
  strictEqual(redisName("/run/redis.sock?password=secret"), "Redis at /run/redis.sock");
  strictEqual(redisName({ password: "secret" }), "Redis at 127.0.0.1:6379");
  strictEqual(redisName({ sentinels: [{ host: "a", port: 1 }], password: "secret" }), "Redis by way of a:1");
});

test("importPackage() names the packages to install", async () => {
  const cause = new Error("Cannot find package 'pg'");
  await rejects(importPackage("it", ["bullmq", "pg"], () => Promise.reject(cause)), (error: Error) => {
    strictEqual(error instanceof MissingPackageError, true);
    strictEqual(error.cause, cause);
    strictEqual(error.message.includes("npm install bullmq pg"), true);
    return true;
  });
});
