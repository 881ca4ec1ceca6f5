import type { HeaderValue } from '../../events/event.ts';
import { findApplicationHeaders } from '../../message/application-headers.ts';
import { toCount, toDate, toDateFromMillis } from '../column-values.ts';
import { describeException } from '../exception.ts';
import { lastText, listTexts, listValues, readBigEndian } from '../header-values.ts';
import { findHop } from '../hops.ts';
import { describeKafkaFailure } from '../kafka-failure.ts';
import { toKafkaPosition } from '../kafka-record.ts';
import type { Facts, Message } from '../message.ts';

/**
 * A dead letter that its application wrote, with the position of the record and the error in headers: from a side output of
 * Flink, or a catch block around a consumer.
 */
export function readApplication(message: Message): Partial<Facts> | undefined {
  const names = findApplicationHeaders(Object.keys(message.headers));
  if (names === undefined) return undefined;
  const values = (fact: keyof typeof names) => {
    const name = names[fact];
    return name === undefined ? undefined : message.headers[name];
  };
  const topics = listTexts(values('topic'));
  const groups = listTexts(values('consumerGroup'));
  const hop = findHop(groups, topics.length);
  const number = (fact: keyof typeof names, length: number) => readNumber(values(fact), hop, length);
  const timestamp = number('timestamp', 8) ?? listTexts(values('timestamp'))[hop] ?? null;
  return describeKafkaFailure(message, {
    kind: 'application',
    position: toKafkaPosition(topics[hop] ?? null, number('partition', 4), number('offset', 8)),
    consumerGroup: groups.at(-1) ?? null,
    attempts: toCount(lastText(values('attempts'))),
    occurredAt: toDateFromMillis(timestamp) ?? toDate(timestamp),
    ...describeException({
      errorClass: lastText(values('errorClass')),
      message: findMessage(lastText(values('message'))),
      stacktrace: lastText(values('stacktrace')),
    }),
  });
}

/** Digits, or big-endian bytes. */
function readNumber(value: HeaderValue | undefined, hop: number, length: number): string | bigint | null {
  const text = listTexts(value)[hop] ?? null;
  return text !== null && /^\d+$/.test(text) ? text : readBigEndian(listValues(value)[hop], length);
}

/** An exception without a message becomes these texts in Java, Python and Go. */
function findMessage(text: string | null): string | null {
  return text !== null && ['null', 'None', '<nil>'].includes(text) ? null : text;
}
