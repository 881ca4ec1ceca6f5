import type { Fact } from '../../message/formats/format.ts';
import { findApplicationId, keyFromContent, keyFromHeaders, keyFromId } from '../identity.ts';
import type { Capture, Facts, Message } from '../message.ts';
import { findTraceId } from '../trace-id.ts';
import { type CompiledFormat, listFact, readFact, readMetadata, readTextFact } from './compile-format.ts';
import { readText } from './conversions.ts';
import { describeError } from './describe-error.ts';
import { takeMember } from './object-failure.ts';
import { listAttribute, type Opened } from './places.ts';

const columns = {
  type: 'eventType',
  topic: 'sourceTopic',
  key: 'sourceKey',
  subscription: 'sourceSubscription',
  consumer: 'consumerGroup',
  scope: 'consumer',
  attempts: 'sourceAttempts',
  time: 'occurredAt',
} as const satisfies Partial<Record<Fact, keyof Facts>>;

/** The facts of a format that a message has, over those of its transport. */
export function readHeaderFailure(compiled: CompiledFormat, opened: Opened): Partial<Capture> {
  const { message } = opened;
  const { name, kind = name, metadata } = compiled.format;
  const content = readContent(compiled, opened);
  const told = Object.entries(columns).flatMap(([fact, column]) => {
    const value = readFact(compiled, fact as Fact, opened);
    return value === undefined ? [] : [[column, fact === 'type' ? (value ?? 'unknown') : value]];
  });
  const { errorClass, errorReason, errorStacktrace } = describeError(compiled, opened);
  const trace = findTraceId(...listFact(compiled, 'trace', opened));
  const eventKey = identify(compiled, opened, content?.body);
  const failure = readTextFact(compiled, 'failure', opened);
  return {
    ...content,
    ...(eventKey !== undefined && { eventKey }),
    ...(failure !== null && { deliveryId: `${eventKey}/${failure}` }),
    ...(compiled.facts.has('id') && {
      eventId: findApplicationId(message.headers) ?? readTextFact(compiled, 'id', opened),
    }),
    ...(kind !== null && { sourceKind: kind }),
    ...readWeakType(compiled, opened),
    ...Object.fromEntries(told),
    ...(errorReason !== null && { errorReason, errorClass }),
    ...(errorStacktrace !== null && { errorStacktrace }),
    ...(trace !== null && { traceId: trace }),
    ...(metadata && { metadata: readMetadata(compiled, opened) }),
  };
}

/** A message in a member or a header of the dead letter. */
export function readContent(compiled: CompiledFormat, opened: Opened) {
  if (compiled.format.takes !== undefined) return takeMember(compiled.format, opened.message);
  const body = readFact(compiled, 'body', opened) as string | Buffer | null | undefined;
  return body ? { body: Buffer.from(body as string) } : undefined;
}

/**
 * The application's id, else that of the format, else the content of a message that no transport brought,
 * else the transport's.
 */
function identify(compiled: CompiledFormat, opened: Opened, taken: Buffer | undefined): string | undefined {
  const { message } = opened;
  const { name, kind = name, scheme = kind } = compiled.format;
  const identity = readTextFact(compiled, 'identity', opened);
  if (identity === 'content') return keyFromContent(message.body);
  const own = keyFromHeaders(message.headers);
  if (own !== undefined || identity !== null) return own ?? `${scheme}:${identity}`;
  if (taken && message.facts.sourceKind === undefined) return keyFromContent(taken);
  const [source, id] = [listAttribute(opened, 'source'), listAttribute(opened, 'id')].map(([each]) =>
    readText(each),
  );
  return message.facts.eventKey ?? (source && id ? `ce:${source}#${id}` : undefined);
}

/** The name of a topic, where the transport tells no type. */
function readWeakType(compiled: CompiledFormat, { message, ...opened }: Opened): Partial<Facts> {
  const type = readTextFact(compiled, 'topicType', { message, ...opened });
  return type === null || isTypeTold(message) ? {} : { eventType: type, isTypeTold: false };
}

function isTypeTold({ facts }: Message): boolean {
  const { eventType, sourceTopic, isTypeTold: isTold } = facts;
  return isTold !== false && ![undefined, 'unknown', sourceTopic].includes(eventType);
}

/**
 * The facts of a webhook's event, which reports no failure. The message is the body as received: the
 * service's signature covers it. The transport's facts come first: a consumer's report of the event, for
 * example.
 */
export function readWebhook(compiled: CompiledFormat, opened: Opened): Partial<Facts> {
  const { facts } = opened.message;
  const text = (fact: Fact) => readTextFact(compiled, fact, opened);
  const [id, type, key] = [text('id'), text('type'), text('key')];
  const time = readFact(compiled, 'time', opened) as Date | null | undefined;
  return {
    ...(id !== null && (facts.eventId ?? null) === null && { eventId: id, eventKey: keyFromId(id) }),
    ...(type !== null && !isTypeTold(opened.message) && { eventType: type, isTypeTold: true }),
    ...readWeakType(compiled, opened),
    ...(key !== null && (facts.sourceKey ?? null) === null && { sourceKey: key }),
    sourceKind: facts.sourceKind ?? compiled.format.name,
    sourceTopic: facts.sourceTopic ?? text('topic'),
    occurredAt: facts.occurredAt ?? time ?? null,
  };
}
