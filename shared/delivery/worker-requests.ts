import * as v from 'valibot';
import { log } from '../log.ts';
import { openPublisher } from './targets/pubsub-publisher.ts';

/** In ms: a worker that ends waits for its requests, and Pub/Sub waits for the worker. */
const timeoutMs = 20_000;

/** Requests a worker if there is a topic for it. Never throws: the next tick does the work anyway. */
export async function tryRequestWorker(topic: string | undefined, runId: string): Promise<void> {
  if (topic === undefined) return;
  try {
    await publishRequest(topic, { runId });
  } catch (error) {
    log('WARNING', 'Worker request failed: other workers and the next tick do the work.', {
      runId,
      error: String(error),
    });
  }
}

/** `topic` may be the address of the function retry on this machine. Throws the errors of Pub/Sub. */
export async function publishRequest(
  topic: string,
  request: { readonly runId: string } | { readonly tick: true },
): Promise<void> {
  const data = Buffer.from(JSON.stringify(request));
  if (topic.startsWith('http:')) return pushRequest(topic, data);
  const publisher = await openPublisher();
  await publisher.publish({ topic, messages: [{ data }] }, { timeout: timeoutMs });
}

/** Not awaited: the response is the end of the work, and the next tick does the work of a lost request. */
function pushRequest(url: string, data: Buffer): void {
  const body = JSON.stringify({ message: { data: data.toString('base64') } });
  fetch(url, { method: 'POST', body }).then(
    (response) => response.body?.cancel(),
    () => {},
  );
}

const PushSchema = v.object({ message: v.object({ data: v.optional(v.string(), '') }) });
const RunId = v.pipe(v.string(), v.regex(/^[1-9]\d{0,17}$/));
const RequestSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ runId: v.optional(RunId), tick: v.optional(v.literal(true)) }),
);

export type WorkerRequest = v.InferOutput<typeof RequestSchema>;

/**
 * Reads a Pub/Sub push (https://cloud.google.com/pubsub/docs/push). A request names a run or asks for a tick,
 * and nothing else, so that a forged one can do no harm. Returns undefined if the body is no push. An
 * unreadable push names no run and is acknowledged: Pub/Sub would send a rejected one again.
 */
export function readWorkerRequest(body: unknown): WorkerRequest | undefined {
  const push = v.safeParse(PushSchema, body);
  if (!push.success) return undefined;
  const data = Buffer.from(push.output.message.data, 'base64').toString();
  const { success, output } = v.safeParse(RequestSchema, data);
  return success ? output : {};
}
