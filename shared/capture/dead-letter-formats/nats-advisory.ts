import { toBigCount, toCount, toText } from '../column-values.ts';
import { describeFailedMessage, dropMembers, openEnvelope } from '../failed-message.ts';
import type { DeadLetterFormat } from '../message.ts';

const types = /^io\.nats\.jetstream\.advisory\.v1\.(max_deliver|terminated)$/;

/**
 * An advisory of NATS JetStream that a consumer's deliveries are used up, or that it terminated a message. It names the
 * position of the message and does not contain it: the message is the position.
 * https://github.com/nats-io/jsm.go/tree/main/schema_source/jetstream/advisory/v1
 */
export const readNatsAdvisory: DeadLetterFormat = (message) => {
  const json = openEnvelope(message);
  const [, condition] = types.exec(toText(json?.type) ?? '') ?? [];
  if (!json || condition === undefined) return undefined;
  const [stream, consumer] = [toText(json.stream), toText(json.consumer)];
  const [sequence, domain] = [toBigCount(json.stream_seq), toText(json.domain)];
  if (stream === null || consumer === null || sequence === null) return undefined;
  return {
    ...describeFailedMessage(message, {
      kind: 'nats',
      identity: `${domain === null ? '' : `${domain}/`}${stream}/${sequence}`,
      failure: toText(json.id),
      facts: {
        eventId: null,
        eventType: stream,
        isTypeTold: false,
        errorReason: toText(json.reason) ?? condition,
        sourceTopic: stream,
        sourceOffset: sequence,
        consumerGroup: consumer,
        sourceAttempts: toCount(json.deliveries),
      },
    }),
    ...dropMembers(
      message,
      ['type', 'id', 'timestamp', 'deliveries', 'reason', 'consumer_seq'],
      ['deliveries', 'reason'],
    ),
  };
};
