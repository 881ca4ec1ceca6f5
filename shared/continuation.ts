import * as v from 'valibot';
import { openPublisher } from './pubsub-publisher.ts';

/** A worker that ends waits for its calls, and Pub/Sub waits for the worker. */
const patienceMs = 20_000;

/** Asks whoever reads the topic for one more worker for a run. `topic` is projects/PROJECT/topics/TOPIC. */
export async function callWorker(topic: string, runId: string): Promise<void> {
  const publisher = await openPublisher();
  const messages = [{ data: Buffer.from(JSON.stringify({ runId })) }];
  await publisher.publish({ topic, messages }, { timeout: patienceMs });
}

const PushSchema = v.object({ message: v.object({ data: v.optional(v.string(), '') }) });
const CallSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ runId: v.pipe(v.string(), v.regex(/^[1-9]\d{0,17}$/)) }),
);

/** A continuation message. It names a run and nothing else, so that a forged one can at most help. */
export type Call = { readonly runId: string | undefined };

/**
 * Reads the body of a push by Pub/Sub: cloud.google.com/pubsub/docs/push. Undefined where it is none. A push that makes
 * no sense names no run: that it is refused would only bring it again.
 */
export function readCall(body: unknown): Call | undefined {
  const push = v.safeParse(PushSchema, body);
  if (!push.success) return undefined;
  const call = v.safeParse(CallSchema, Buffer.from(push.output.message.data, 'base64').toString());
  return { runId: call.success ? call.output.runId : undefined };
}
