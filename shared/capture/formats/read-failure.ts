import type { Fact } from '../../message/formats/format.ts';
import { findTraceId } from '../column-values.ts';
import { addNotes, type Facts } from '../facts.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { findApplicationId, keyFromContent, keyFromId, toPublication } from '../identity.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Failure, Opened } from '../message.ts';
import { type CompiledFormat, findPlace, listFact, readFact, readTextFact } from './compile-format.ts';
import { readHeaders } from './read-headers.ts';

const columns = {
  ...{ delivery: 'deliveryId', topic: 'sourceTopic', partition: 'sourcePartition', offset: 'sourceOffset' },
  ...{ key: 'sourceKey', subscription: 'sourceSubscription', scope: 'consumer', consumer: 'consumerGroup' },
  ...{ attempts: 'sourceAttempts', time: 'occurredAt', published: 'publication', failedAt: 'failedAt' },
  ...{ origin: 'origin' },
} as const satisfies Partial<Record<Fact, keyof Facts>>;

/** Over the facts of its transport; those of a webhook behind them. */
export function readFailure(compiled: CompiledFormat, opened: Opened): Failure {
  const { of } = compiled.format;
  const content = readContent(compiled, opened);
  const { eventKey, ...told } = readFacts(compiled, opened, content?.body);
  const all = { ...told, ...describeError(compiled, opened) };
  const trace = findTraceId(...listFact(compiled, 'trace', opened));
  return {
    ...(eventKey !== undefined && { eventKey }),
    ...(of === 'webhook' ? dropKnown(all, opened.message.facts) : all),
    ...content,
    ...(trace !== null && { traceId: trace }),
    ...readAttributes(compiled, opened),
  };
}

/** What a record says of a message, whoever brought it. `taken`: what was taken out of it. */
export function readFacts(compiled: CompiledFormat, opened: Opened, taken?: Buffer): Partial<Facts> {
  const { name, kind = name } = compiled.format;
  const eventKey = identify(compiled, opened, taken);
  return {
    ...(eventKey !== undefined && { eventKey }),
    ...(kind !== null && { sourceKind: kind }),
    ...readNames(compiled, opened),
    ...readColumns(compiled, opened),
    ...readMetadata(compiled, opened),
  };
}

/** A webhook reports no failure: what its transport says, such as a consumer's report, comes first. */
function dropKnown(told: Partial<Facts>, known: Partial<Facts>): Partial<Facts> {
  const isNew = (fact: string) => (known[fact as keyof Facts] ?? null) === null;
  return Object.fromEntries(Object.entries(told).filter(([fact, value]) => value !== null && isNew(fact)));
}

/** An application's id comes before that of the broker. */
function readNames(compiled: CompiledFormat, opened: Opened): Partial<Facts> {
  const id = readFact(compiled, 'id', opened) as string | null | undefined;
  const type = readTextFact(compiled, 'type', opened);
  const topicType = readTextFact(compiled, 'topicType', opened);
  const own = compiled.format.of === 'webhook' ? null : findApplicationId(opened.message.headers);
  return {
    ...(id !== undefined && { eventId: own ?? id }),
    ...(type !== null && { eventType: type }),
    ...(topicType !== null && { topicType }),
  };
}

/** A message without a time of its own has that of its publication. */
function readColumns(compiled: CompiledFormat, opened: Opened): Partial<Facts> {
  const told: Record<string, unknown> = {};
  for (const fact of compiled.facts.keys()) {
    const column = columns[fact as keyof typeof columns];
    const value = column && readFact(compiled, fact, opened);
    if (value instanceof Buffer) Object.assign(told, sourceKeyFromBytes(value));
    else if (column) told[column] = value;
    if (fact !== 'published') continue;
    told.publication = toPublication(value as Date | null);
    told.occurredAt ??= value;
  }
  return told;
}

function readAttributes({ headers: place }: CompiledFormat, opened: Opened): Failure {
  const own = place && readHeaders(place, opened);
  if (!own) return {};
  const headers = { ...opened.message.headers, ...own };
  const told = Object.entries(readHeaderFacts(headers)).filter(([, value]) => value !== null);
  return { headers, ...Object.fromEntries(told) };
}

function readContent(compiled: CompiledFormat, opened: Opened) {
  const body = readFact(compiled, 'body', opened) as string | Buffer | null | undefined;
  const contentType = readTextFact(compiled, 'contentType', opened);
  return body ? { body: Buffer.from(body as string), ...(contentType && { contentType }) } : undefined;
}

/**
 * The application's id, else that of the format, else the content of a message that no transport brought,
 * else the transport's.
 */
function identify(compiled: CompiledFormat, opened: Opened, taken?: Buffer): string | undefined {
  const { message } = opened;
  const { name, of, kind = name, scheme = kind } = compiled.format;
  if (of === 'webhook') {
    const id = (message.facts.eventId ?? null) === null ? readTextFact(compiled, 'id', opened) : null;
    return id === null ? undefined : keyFromId(id);
  }
  const identity = readTextFact(compiled, 'identity', opened);
  const own = readHeaderFacts(message.headers).eventKey;
  if (own !== undefined || identity !== null) return own ?? `${scheme}:${identity}`;
  if (taken && message.facts.sourceKind === undefined) return keyFromContent(taken);
  return message.facts.eventKey;
}

function describeError(compiled: CompiledFormat, opened: Opened): Partial<Facts> {
  const text = (fact: Fact) => readTextFact(compiled, fact, opened);
  const [message, stacktrace] = [text('reason'), text('stack')];
  const { reason, errorClass } = describeException({ errorClass: text('class'), message, stacktrace });
  return {
    ...(reason !== null && { errorReason: reason, errorClass }),
    ...(stacktrace !== null && { errorStacktrace: stacktrace }),
  };
}

function readMetadata({ metadata }: CompiledFormat, opened: Opened): Pick<Partial<Facts>, 'metadata'> {
  if (metadata.length === 0) return {};
  const found = metadata.map(([name, places]) => [name, findPlace(places, opened)?.value ?? null]);
  return { metadata: addNotes(opened.message.facts.metadata, Object.fromEntries(found)) };
}

type Exception = Readonly<Record<'errorClass' | 'message' | 'stacktrace', string | null>>;

/** What listeners and handlers put before the message of the exception that they caught. */
const wrapper = new RegExp(
  [
    "^(Listener method '[^']*' threw exception",
    'Listener failed',
    String.raw`Listener method could not be invoked with .*\nEndpoint .*\nMethod \[.*?\](\nBean \[.*?\])?`,
    String.raw`Exception thrown at \S+`,
    String.raw`error occurred in message handler \[.*?\])(; nested exception is (?<nested>[\w.$]+))?(: |; ?|$)`,
  ].join('|'),
);

/**
 * Messages that only say that something failed: those of Kafka Connect's converters end with a colon; the
 * others are of Spring's deserializer, Aiven's HTTP sink, SmallRye, Kafka's consumer and Kafka Streams.
 */
const saysNothing =
  /^\s*$|:\s*$|^failed to deserialize$|\bno retries remain\b|^SRMSG00103\b|^Error deserializing \S+ for partition |^Exception caught in process\b/i;

/** Those of the innermost cause, if an exception's own message does not say what went wrong. */
export function describeException({ errorClass, message, stacktrace }: Exception) {
  // Spring 5 names the class in the message of the exception that caught it.
  const { 0: wrapped = '', groups } = wrapper.exec(message ?? '') ?? {};
  const own = message === null || message === errorClass ? '' : message.slice(wrapped.length);
  const cause = saysNothing.test(own) ? findInnermost(stacktrace) : undefined;
  const isOther = errorClass === null || own !== message;
  const thrown = groups?.nested ?? (isOther ? findClass(stacktrace, own) : null);
  const found = cause ?? { errorClass: thrown ?? errorClass, message: own };
  const parts = [found.errorClass, found.message].filter((part) => (part ?? '').trim() !== '');
  return { errorClass: found.errorClass, reason: parts.join(': ') || null };
}

/** Characters that are read of a cause, and of a class: they bound the time that any input takes. */
const maxCause = 65_536;
const maxClass = 200;

/** Of the JVM. A message may have several lines; frames follow it. */
function findInnermost(stacktrace: string | null) {
  const start = stacktrace?.lastIndexOf('\nCaused by: ') ?? -1;
  if (start === -1) return undefined;
  const cause = stacktrace?.slice(start + '\nCaused by: '.length, start + maxCause) ?? '';
  const [heading = ''] = cause.split(/\r?\n[ \t]+(?:at [^\s[]\S*\(|\.\.\. \d+ |Suppressed: )/, 1);
  const [, errorClass = null, message = ''] = /^([^\s:]+)(?:: (.*))?$/s.exec(heading.trim()) ?? [];
  return errorClass === null ? undefined : { errorClass, message: message.trim() };
}

/** Of the exception whose message this is: some name it only in the stack trace, before the message. */
function findClass(stacktrace: string | null, message: string): string | null {
  const end = message.trim() === '' ? -1 : (stacktrace?.indexOf(`: ${message.trim()}`) ?? -1);
  const before = end === -1 ? '' : (stacktrace?.slice(Math.max(0, end - maxClass), end) ?? '');
  return /(?:^|\n)(?:Caused by: )?([\w$.]+)$/.exec(before)?.[1] ?? null;
}
