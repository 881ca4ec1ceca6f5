import { toCount } from '../column-values.ts';
import { joinReason } from '../error-reason.ts';
import { firstText, lastText } from '../header-values.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

const kafkaEndpoint = 'kafka://topic/';

/**
 * A dead letter of Wolverine (.NET), with the same headers in every broker. The original destination is an endpoint's
 * URI; Kafka adds a partition and an offset.
 * https://github.com/JasperFx/wolverine/blob/main/src/Wolverine/Transports/DeadLetterQueueConstants.cs
 */
export function readWolverine(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!('exception-type' in headers && 'failed-at' in headers)) return undefined;
  const destination = firstText(headers['original-destination']);
  const topic = destination?.startsWith(kafkaEndpoint)
    ? destination.slice(kafkaEndpoint.length)
    : destination;
  const errorClass = lastText(headers['exception-type']);
  const facts = describeKafkaFailure(message, {
    kind: 'wolverine',
    position: toKafkaPosition(
      topic,
      firstText(headers['original-partition']),
      firstText(headers['original-offset']),
    ),
    attempts: toCount(lastText(headers.attempts)),
    errorClass,
    reason: joinReason(errorClass, lastText(headers['exception-message'])),
    stacktrace: lastText(headers['exception-stack']),
  });
  const type = firstText(headers['message-type']);
  return type === null ? facts : { ...facts, eventType: type };
}
