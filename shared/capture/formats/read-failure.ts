import { readPointer } from '../../json/json-nodes.ts';
import { listValue } from '../../json/list-value.ts';
import type { Fact } from '../../message/formats/format.ts';
import { findTraceId } from '../column-values.ts';
import { describeException } from '../exception.ts';
import type { Facts } from '../facts.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { readText } from '../header-values.ts';
import { findApplicationId, keyFromContent, keyFromId, toPublication } from '../identity.ts';
import type { Failure, Opened } from '../message.ts';
import { addNotes } from '../notes.ts';
import { readPairs } from './coded-places.ts';
import { type CompiledFormat, findPlace, listFact, readFact, readTextFact } from './compile-format.ts';
import { listAttribute } from './places.ts';
import { splitObject, takeMember } from './split-object.ts';

const columns = {
  id: 'eventId',
  topic: 'sourceTopic',
  offset: 'sourceOffset',
  key: 'sourceKey',
  subscription: 'sourceSubscription',
  consumer: 'consumerGroup',
  scope: 'consumer',
  attempts: 'sourceAttempts',
  time: 'occurredAt',
  failedAt: 'failedAt',
} as const satisfies Partial<Record<Fact, keyof Facts>>;

/** The coordinates of an object's transport are those of the object, and are metadata. */
const unplaced = {
  ...{ sourceTopic: null, sourcePartition: null, sourceOffset: null, sourceSubscription: null },
  ...{ sourceKey: null, sourceKeyBase64: null, sourceAttempts: null, occurredAt: null },
};

/** The facts of a format that a message has, over those of its transport; those of a webhook behind them. */
export function readFailure(compiled: CompiledFormat, opened: Opened): Failure {
  const { of, name, kind = name } = compiled.format;
  const content = readContent(compiled, opened);
  const eventKey = identify(compiled, opened, content?.body);
  const failure = readTextFact(compiled, 'failure', opened);
  const { errorClass, errorReason, errorStacktrace } = describeError(compiled, opened);
  const trace = findTraceId(...listFact(compiled, 'trace', opened));
  const published = readFact(compiled, 'published', opened) as Date | null | undefined;
  return {
    ...(of === 'object' && unplaced),
    ...content,
    ...(eventKey !== undefined && { eventKey }),
    ...(failure !== null && { deliveryId: `${eventKey}/${failure}` }),
    ...(kind !== null && { sourceKind: kind }),
    ...readType(compiled, opened),
    ...readAttributes(compiled, opened),
    ...readColumns(compiled, opened),
    ...(published !== undefined && { publication: toPublication(published) }),
    ...(errorReason !== null && { errorReason, errorClass }),
    ...(errorStacktrace !== null && { errorStacktrace }),
    ...(trace !== null && { traceId: trace }),
    ...readMetadata(compiled, opened),
  };
}

/** A webhook reports no failure: what its transport says, such as a consumer's report, comes first. */
function readColumns(compiled: CompiledFormat, opened: Opened): Partial<Facts> {
  const { facts, headers } = opened.message;
  const isWebhook = compiled.format.of === 'webhook';
  const known = { ...facts, sourceKind: facts.sourceKind ?? null };
  const told = Object.entries(columns).flatMap(([fact, column]) => {
    const value = readFact(compiled, fact as Fact, opened);
    if (value === undefined || (isWebhook && (value === null || (known[column] ?? null) !== null))) return [];
    return [[column, fact === 'id' && !isWebhook ? (findApplicationId(headers) ?? value) : value]];
  });
  const kind = isWebhook && known.sourceKind !== null ? { sourceKind: known.sourceKind } : {};
  return { ...kind, ...Object.fromEntries(told) };
}

/** A webhook says the type only where nothing else does. */
function readType(compiled: CompiledFormat, opened: Opened): Partial<Facts> {
  const type = readFact(compiled, 'type', opened) as string | null | undefined;
  const topicType = readTextFact(compiled, 'topicType', opened);
  const isKnown = type === null || (opened.message.facts.eventType ?? null) !== null;
  const isKept = type === undefined || (compiled.format.of === 'webhook' && isKnown);
  return {
    ...(!isKept && { eventType: type, topicType: null }),
    ...(topicType !== null && { topicType }),
  };
}

/** Attributes in the JSON as headers, with what they say of the message. */
function readAttributes({ format }: CompiledFormat, { message }: Opened): Failure {
  if (format.attributes === undefined) return {};
  const [pairs] = listValue(message.json, readPointer(format.attributes));
  const headers = { ...message.headers, ...readPairs(pairs) };
  const told = Object.entries(readHeaderFacts(headers)).filter(([, value]) => value !== null);
  return { headers, ...Object.fromEntries(told) };
}

/** A message in a member or a header of the dead letter. */
export function readContent(compiled: CompiledFormat, opened: Opened) {
  if (compiled.format.of === 'object') return splitObject(compiled, opened);
  if (compiled.format.takes !== undefined) return takeMember(compiled.format, opened.message);
  const body = readFact(compiled, 'body', opened) as string | Buffer | null | undefined;
  return body ? { body: Buffer.from(body as string) } : undefined;
}

/**
 * The application's id, else that of the format, else the content of a message that no transport brought,
 * else the transport's. A webhook's id is the application's.
 */
function identify(compiled: CompiledFormat, opened: Opened, taken: Buffer | undefined): string | undefined {
  const { message } = opened;
  const { name, of, kind = name, scheme = kind } = compiled.format;
  if (of === 'webhook') {
    const id = (message.facts.eventId ?? null) === null ? readTextFact(compiled, 'id', opened) : null;
    return id === null ? undefined : keyFromId(id);
  }
  const identity = readTextFact(compiled, 'identity', opened);
  if (identity === 'content') return keyFromContent(message.body);
  const own = readHeaderFacts(message.headers).eventKey;
  if (own !== undefined || identity !== null) return own ?? `${scheme}:${identity}`;
  if (taken && message.facts.sourceKind === undefined) return keyFromContent(taken);
  const [source, id] = [listAttribute(opened, 'source'), listAttribute(opened, 'id')].map(([each]) =>
    readText(each),
  );
  return message.facts.eventKey ?? (source && id ? `ce:${source}#${id}` : undefined);
}

/**
 * Class, reason and stack trace of the error, or the condition on which the broker gave up; null for what is
 * not told.
 */
export function describeError(compiled: CompiledFormat, opened: Opened) {
  const text = (fact: Fact) => readTextFact(compiled, fact, opened);
  const [message, stacktrace] = [text('reason'), text('stack')];
  const { reason, errorClass } = describeException({
    errorClass: text('class') ?? findClass(stacktrace, message),
    message,
    stacktrace,
    cause: { errorClass: text('causeClass'), message: text('cause') },
  });
  return { errorClass, errorReason: reason ?? text('condition'), errorStacktrace: stacktrace };
}

/** JavaScript has the class only at the beginning of the stack trace, before the message. */
function findClass(stack: string | null, message: string | null): string | null {
  const [prefix, errorClass = null] = /^([A-Za-z_$][\w$]*): /.exec(stack?.slice(0, 200) ?? '') ?? [];
  return prefix && message !== null && stack?.startsWith(message, prefix.length) ? errorClass : null;
}

/** The metadata of a format, beside that of the transport. */
export function readMetadata({ metadata }: CompiledFormat, opened: Opened): Pick<Partial<Facts>, 'metadata'> {
  if (metadata.length === 0) return {};
  const found = metadata.map(([name, places]) => [name, findPlace(places, opened)?.value ?? null]);
  return { metadata: addNotes(opened.message.facts.metadata, Object.fromEntries(found)) };
}
