import { setTimeout as pause } from 'node:timers/promises';
import type { google } from '@google-cloud/pubsub/build/protos/protos.js';
import { loadPubSub } from '../shared/delivery/targets/load-pubsub.ts';
import { CommandError } from './command-error.ts';

export type ReceivedMessage = google.pubsub.v1.IReceivedMessage;

/** A subscription. Each call is one request, which throws CommandError if Pub/Sub rejects it. */
export type Subscriber = {
  /** Waits some seconds for messages, and may return none although there are some. */
  readonly pull: (maxMessages: number) => Promise<readonly ReceivedMessage[]>;
  readonly acknowledge: (ackIds: readonly string[]) => Promise<void>;
  /** Holds messages for this number of seconds from now; 0 releases them. */
  readonly hold: (ackIds: readonly string[], seconds: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** gRPC codes: the deadline of a pull without messages, and failures that pass. */
const deadlineExceeded = 4;
const passing = new Set([1, 2, deadlineExceeded, 8, 10, 13, 14]);
/** A failure that passes is repeated for half a minute. */
const maxPauseMs = 16_000;
/** The answer to the acknowledgement of a message whose lease has ended, with exactly-once delivery: it comes again. */
const leaseEnded = 9;

const remedies: Readonly<Record<number, string>> = {
  3: 'Name it as projects/PROJECT/subscriptions/SUBSCRIPTION.',
  5: 'List those of a project: gcloud pubsub subscriptions list --project=PROJECT',
  7: 'Grant yourself roles/pubsub.subscriber on it.',
  9: 'Only a pull subscription can be drained: of a push subscription, change the endpoint to capture instead.',
  16: 'Run gcloud auth application-default login.',
};

/** Opens a subscription with the emulator, or with the Application Default Credentials. Throws CommandError without any. */
export async function openSubscriber(subscription: string): Promise<Subscriber> {
  const client = await connect();
  const call = async <Result>(work: () => Promise<Result>, pauseMs = 500): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      const code = codeOf(error);
      if (passing.has(code) && pauseMs <= maxPauseMs) {
        await pause(pauseMs);
        return call(work, 2 * pauseMs);
      }
      const remedy = remedies[code] ?? 'Run the same command again.';
      const reason = `Pub/Sub: ${(error as Error).message} (${subscription}). ${remedy}`;
      throw new CommandError(reason, { cause: error });
    }
  };
  // Without the client's retries, which continue for ten minutes.
  const options = { timeout: 10_000, retry: { retryCodes: [] } };
  return {
    pull: (maxMessages) =>
      call(async () => {
        const [{ receivedMessages }] = await client
          .pull({ subscription, maxMessages }, options)
          .catch(toNoMessages);
        return receivedMessages ?? [];
      }),
    acknowledge: (ackIds) =>
      call(async () => {
        await client.acknowledge({ subscription, ackIds: [...ackIds] }, options).catch(ignoreEndedLease);
      }),
    hold: (ackIds, ackDeadlineSeconds) =>
      call(async () => {
        const request = { subscription, ackIds: [...ackIds], ackDeadlineSeconds };
        await client.modifyAckDeadline(request, options).catch(ignoreEndedLease);
      }),
    close: () => client.close(),
  };
}

async function connect() {
  try {
    const { v1, options } = await loadPubSub();
    const client = new v1.SubscriberClient(options);
    await client.initialize();
    return client;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : cause;
    throw new CommandError(`No credentials for Pub/Sub: ${reason} ${remedies[16]}`, { cause });
  }
}

function codeOf(error: unknown): number {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : -1;
}

function toNoMessages(error: unknown): [{ readonly receivedMessages?: readonly ReceivedMessage[] }] {
  if (codeOf(error) === deadlineExceeded) return [{}];
  throw error;
}

function ignoreEndedLease(error: unknown): void {
  if (codeOf(error) !== leaseEnded) throw error;
}
