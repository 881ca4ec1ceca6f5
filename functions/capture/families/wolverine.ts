import { describeFailure } from '../describe-failure.ts';
import { firstFact, lastFact } from '../header-value.ts';
import { toPlace } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';
import { joinReason, toCount } from '../text.ts';

const kafkaEndpoint = 'kafka://topic/';

/**
 * A dead letter of Wolverine (.NET). It has the same headers in every broker; the original destination is an
 * endpoint's URI, and in Kafka has a partition and an offset beside it.
 * https://github.com/JasperFx/wolverine/blob/main/src/Wolverine/Transports/DeadLetterQueueConstants.cs
 */
export function readWolverine(message: Message): Partial<Facts> | undefined {
  const { headers } = message;
  if (!('exception-type' in headers && 'failed-at' in headers)) return undefined;
  const destination = firstFact(headers['original-destination']);
  const topic = destination?.startsWith(kafkaEndpoint)
    ? destination.slice(kafkaEndpoint.length)
    : destination;
  const errorClass = lastFact(headers['exception-type']);
  const facts = describeFailure(message, {
    kind: 'wolverine',
    place: toPlace(topic, firstFact(headers['original-partition']), firstFact(headers['original-offset'])),
    attempts: toCount(lastFact(headers.attempts)),
    errorClass,
    reason: joinReason(errorClass, lastFact(headers['exception-message'])),
    stacktrace: lastFact(headers['exception-stack']),
  });
  const type = firstFact(headers['message-type']);
  return type === null ? facts : { ...facts, eventType: type };
}
