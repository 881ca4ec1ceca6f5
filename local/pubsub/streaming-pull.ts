import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import { type Broker, findSubscription } from './broker.ts';
import { type Faults, meetFault } from './faults.ts';
import { acknowledge, attachReceiver, detachReceiver, extendLease } from './leasing.ts';
import type { WireReceivedMessage } from './protocol.ts';
import { refusePull, toReceivedMessage } from './pull.ts';
import type { Receiver, Subscription } from './subscription.ts';

type StreamRequest = {
  readonly subscription: string;
  readonly ackIds: readonly string[];
  readonly modifyDeadlineAckIds: readonly string[];
  readonly modifyDeadlineSeconds: readonly number[];
  readonly streamAckDeadlineSeconds: number;
  readonly maxOutstandingMessages: number;
};

type StreamResponse = {
  readonly receivedMessages?: readonly WireReceivedMessage[];
  readonly subscriptionProperties?: { readonly messageOrderingEnabled: boolean };
};

type Stream = ServerDuplexStream<StreamRequest, StreamResponse>;

/** StreamingPull: the first request names the subscription, later ones acknowledge, extend or keep the stream alive. */
export function streamingPull(
  broker: Broker,
  faults: Faults,
): handleBidiStreamingCall<StreamRequest, StreamResponse> {
  return (stream) => {
    const fault = faults.next('StreamingPull');
    if (fault) return meetFault(fault, (error) => stream.emit('error', error));
    let open: { subscription: Subscription; receiver: Receiver } | undefined;
    stream.on('data', (request: StreamRequest) => {
      try {
        open ??= openStream(broker, stream, request);
        obey(open, request);
        // The client drops a stream that does not answer its keepalive, which is an empty request, in 15 seconds.
        stream.write(describe(open.subscription));
      } catch (error) {
        stream.emit('error', error);
      }
    });
    stream.on('end', () => stream.end());
  };
}

function openStream(broker: Broker, stream: Stream, request: StreamRequest) {
  const subscription = findSubscription(broker, request.subscription);
  if (subscription.wire.pushConfig?.pushEndpoint) refusePull();
  const receiver: Receiver = {
    limit: request.maxOutstandingMessages > 0 ? request.maxOutstandingMessages : Number.POSITIVE_INFINITY,
    outstanding: 0,
    leaseSeconds: request.streamAckDeadlineSeconds || subscription.wire.ackDeadlineSeconds,
    receive(leases) {
      for (const lease of leases)
        stream.write({ receivedMessages: [toReceivedMessage(subscription, lease)] });
    },
    close: (reason) => stream.emit('error', reason),
  };
  for (const over of ['cancelled', 'end', 'close']) {
    stream.on(over, () => detachReceiver(subscription, receiver));
  }
  attachReceiver(subscription, receiver);
  return { subscription, receiver };
}

function obey(open: { subscription: Subscription; receiver: Receiver }, request: StreamRequest): void {
  const { subscription, receiver } = open;
  if (request.streamAckDeadlineSeconds > 0) receiver.leaseSeconds = request.streamAckDeadlineSeconds;
  for (const ackId of request.ackIds) acknowledge(subscription, ackId);
  for (const [index, ackId] of request.modifyDeadlineAckIds.entries()) {
    extendLease(subscription, ackId, request.modifyDeadlineSeconds[index] ?? 0);
  }
}

function describe({ wire }: Subscription): StreamResponse {
  return { subscriptionProperties: { messageOrderingEnabled: wire.enableMessageOrdering } };
}
