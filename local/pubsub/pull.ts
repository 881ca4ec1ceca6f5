import { attachReceiver, detachReceiver } from './leasing.ts';
import { toWireMessage } from './message.ts';
import type { WireReceivedMessage } from './protocol.ts';
import { RpcError } from './rpc-error.ts';
import type { Lease, Receiver, Subscription } from './subscription.ts';

const longestWaitMillis = 20_000;

export type PullRequest = {
  readonly subscription: string;
  readonly maxMessages: number;
  readonly returnImmediately: boolean;
};

type PullResponse = { readonly receivedMessages: readonly WireReceivedMessage[] };

/** Waits for messages and returns the first there are; none when the wait was too long. */
export function pull(
  subscription: Subscription,
  request: PullRequest,
  cancelled: AbortSignal,
): Promise<PullResponse> {
  checkPull(subscription, request);
  const { wire, timers } = subscription;
  return new Promise((resolve, reject) => {
    const receive = (leases: readonly Lease[]) => {
      cancelWait();
      detachReceiver(subscription, receiver);
      resolve({ receivedMessages: leases.map((lease) => toReceivedMessage(subscription, lease)) });
    };
    const receiver: Receiver = {
      limit: request.maxMessages,
      outstanding: 0,
      leaseSeconds: wire.ackDeadlineSeconds,
      receive,
      close: reject,
    };
    const cancelWait = timers.after(request.returnImmediately ? 0 : longestWaitMillis, () => receive([]));
    cancelled.addEventListener('abort', () => receive([]));
    attachReceiver(subscription, receiver);
  });
}

/** The lease as a subscriber sees it. Attempts are counted for it only where there is a dead letter policy. */
export function toReceivedMessage({ wire }: Subscription, { ackId, delivery }: Lease): WireReceivedMessage {
  return {
    ackId,
    message: toWireMessage(delivery.message),
    deliveryAttempt: wire.deadLetterPolicy ? delivery.attempts : 0,
  };
}

function checkPull({ wire }: Subscription, { maxMessages }: PullRequest): void {
  if (wire.pushConfig?.pushEndpoint) refusePull();
  if (maxMessages <= 0)
    throw new RpcError('INVALID_ARGUMENT', `maxMessages is ${maxMessages}: use at least 1.`);
}

/** A push subscription cannot be pulled from. */
export function refusePull(): never {
  throw new RpcError('FAILED_PRECONDITION', 'This method is not supported for this subscription type.');
}
