import * as v from 'valibot';
import type { RetryConfig } from '../config/retry.ts';
import { log } from '../log.ts';
import { openPublisher } from './targets/pubsub-publisher.ts';

/** Timeout of a publication in ms: a worker that ends waits for its requests, and Pub/Sub waits for the worker. */
const timeoutMs = 20_000;

/** Publishes a request for one more worker for a run. `topic` is projects/PROJECT/topics/TOPIC. Throws Pub/Sub's error. */
export async function requestWorker(topic: string, runId: string): Promise<void> {
  const publisher = await openPublisher();
  const messages = [{ data: Buffer.from(JSON.stringify({ runId })) }];
  await publisher.publish({ topic, messages }, { timeout: timeoutMs });
}

type Requester = { readonly requestWorker?: ((runId: string) => Promise<void>) | undefined };

/** Requests a worker for a run if there is a topic for requests. Never throws: the next tick continues the run anyway. */
export async function tryRequestWorker({ requestWorker }: Requester, runId: string): Promise<void> {
  try {
    await requestWorker?.(runId);
  } catch (error) {
    log('WARNING', 'Worker request for a replay failed: the next tick continues the replay.', {
      runId,
      error: String(error),
    });
  }
}

export type WorkerRequests = {
  /** Requests a worker that replaces this one. Returns false if no topic is configured. */
  request(): boolean;
  /** Requests one more worker, up to `workers` in total. */
  requestHelper(): void;
  /** Waits until all requests are published. A failed request is logged: the next tick does the work. */
  finish(): Promise<unknown>;
};

/** Opens the requests of one worker, which does not wait for them while it works. */
export function openWorkerRequests(
  { continueTopic, workers }: RetryConfig,
  { runId, slot }: { readonly runId: string; readonly slot: number | undefined },
): WorkerRequests {
  const requests: Promise<void>[] = [];
  const request = () => {
    if (continueTopic === undefined) return false;
    requests.push(
      requestWorker(continueTopic, runId).catch((error: unknown) =>
        log('WARNING', 'Worker request failed: other workers and the next tick do the work.', {
          runId,
          error: String(error),
        }),
      ),
    );
    return true;
  };
  return {
    request,
    requestHelper() {
      // Only the first worker of a run requests helpers: otherwise every worker would request the same ones.
      if (slot === 1 && requests.length < workers - 1) request();
    },
    finish: () => Promise.all(requests),
  };
}

const PushSchema = v.object({ message: v.object({ data: v.optional(v.string(), '') }) });
const RequestSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ runId: v.pipe(v.string(), v.regex(/^[1-9]\d{0,17}$/)) }),
);

/** A request for a worker. It names a run and nothing else, so that a forged request can do no harm. */
export type WorkerRequest = { readonly runId: string | undefined };

/**
 * Reads a Pub/Sub push (https://cloud.google.com/pubsub/docs/push) as a request for a worker. Returns undefined if the
 * body is not a push. An unreadable push names no run and is acknowledged: Pub/Sub would send a rejected one again.
 */
export function readWorkerRequest(body: unknown): WorkerRequest | undefined {
  const push = v.safeParse(PushSchema, body);
  if (!push.success) return undefined;
  const request = v.safeParse(RequestSchema, Buffer.from(push.output.message.data, 'base64').toString());
  return { runId: request.success ? request.output.runId : undefined };
}
