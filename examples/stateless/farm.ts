/**
 * A render farm, as some other company would run one: it takes jobs, renders a frame every now and then, and reports progress.
 *
 * It stands for any service that works by itself and is asked for news: a queue of videos, a training run, a bank. Its films
 * are made up, its clock is real: a job of 40 frames takes 40 times `frameMs`.
 *
 * @module
 */

/** Progress of a job, as the farm reports it. */
export interface FarmStatus {
  /** Frames rendered. */
  readonly done: number;
  /** Frames in all. */
  readonly total: number;
  /** The video's name, once all frames are rendered. */
  readonly file?: string;
  /** Whether it was ended before that. */
  readonly isCancelled?: boolean;
}

/** What is to be rendered. */
export interface FarmOrder {
  readonly scene: string;
  readonly frames: number;
}

/** Options of {@link createFarm}. */
export interface FarmOptions {
  /** How long a frame takes, in milliseconds. */
  readonly frameMs?: number;
  /** Where time comes from, in milliseconds. */
  readonly now?: () => number;
}

interface Job extends FarmOrder {
  readonly startedMs: number;
  readonly isCancelled?: boolean;
}

/**
 * Opens a farm.
 *
 * `PUT /jobs/<id>` orders a job, and orders it once however often it is sent; `GET` reports its progress; `DELETE` cancels it,
 * unless it is done.
 */
export function createFarm({ frameMs = 50, now = Date.now }: FarmOptions = {}): {
  readonly fetch: (request: Request) => Promise<Response>;
} {
  // The farm keeps its own records; its customers keep none.
  const jobs = new Map<string, Job>();

  async function order(id: string, request: Request): Promise<Response> {
    const { scene, frames } = await request.json() as FarmOrder;
    const job = jobs.get(id) ?? { scene, frames, startedMs: now() };
    jobs.set(id, job);
    return Response.json(statusOf(job));
  }

  function cancel(id: string, job: Job): Response {
    const cancelled = statusOf(job).file === undefined ? { ...job, isCancelled: true } : job;
    jobs.set(id, cancelled);
    return Response.json(statusOf(cancelled));
  }

  function statusOf({ scene, frames, startedMs, isCancelled }: Job): FarmStatus {
    if (isCancelled) return { done: 0, total: frames, isCancelled };
    const done = Math.min(frames, Math.floor((now() - startedMs) / frameMs));
    return { done, total: frames, ...(done === frames && { file: `${scene}_${frames}.mp4` }) };
  }

  return {
    async fetch(request) {
      const id = /\/jobs\/([\w-]+)$/.exec(request.url)?.[1] ?? "";
      if (request.method === "PUT") return await order(id, request);
      const job = jobs.get(id);
      if (job === undefined) return new Response("No such job", { status: 404 });
      return request.method === "DELETE" ? cancel(id, job) : Response.json(statusOf(job));
    },
  };
}

/** The farm as a Worker. */
export default createFarm() satisfies { fetch: (request: Request) => Promise<Response> };
