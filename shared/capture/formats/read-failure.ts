import type { Headers } from '../../message/event.ts';
import type { Fact } from '../../message/formats/format.ts';
import { findTraceId } from '../column-values.ts';
import { describeException } from '../exception.ts';
import type { Facts } from '../facts.ts';
import { readHeaderFacts } from '../header-facts.ts';
import { findApplicationId, keyFromContent, keyFromId, toPublication } from '../identity.ts';
import { sourceKeyFromBytes } from '../kafka-record.ts';
import type { Failure, Opened } from '../message.ts';
import { addNotes } from '../notes.ts';
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
  const { headers, facts } = opened.message;
  const content = readContent(compiled, opened);
  const { eventKey, ...told } = readFacts(compiled, opened, { headers, taken: content?.body });
  const all = { ...told, ...describeError(compiled, opened) };
  const trace = findTraceId(...listFact(compiled, 'trace', opened));
  return {
    ...(eventKey !== undefined && { eventKey }),
    ...(of === 'webhook' ? dropKnown(all, facts) : all),
    ...content,
    ...(trace !== null && { traceId: trace }),
    ...readAttributes(compiled, opened),
  };
}

/** The headers of the message itself, and what was taken out of it. */
type Own = { readonly headers: Headers; readonly taken?: Buffer | undefined };

/** What a record says of a message, whoever brought it. */
export function readFacts(compiled: CompiledFormat, opened: Opened, own: Own): Partial<Facts> {
  const { name, kind = name } = compiled.format;
  const eventKey = identify(compiled, opened, own);
  return {
    ...(eventKey !== undefined && { eventKey }),
    ...(kind !== null && { sourceKind: kind }),
    ...readNames(compiled, opened, own),
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
function readNames(compiled: CompiledFormat, opened: Opened, { headers }: Own): Partial<Facts> {
  const id = readFact(compiled, 'id', opened) as string | null | undefined;
  const type = readTextFact(compiled, 'type', opened);
  const topicType = readTextFact(compiled, 'topicType', opened);
  const own = compiled.format.of === 'webhook' ? null : findApplicationId(headers);
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
function identify(compiled: CompiledFormat, opened: Opened, { headers, taken }: Own): string | undefined {
  const { message } = opened;
  const { name, of, kind = name, scheme = kind } = compiled.format;
  if (of === 'webhook') {
    const id = (message.facts.eventId ?? null) === null ? readTextFact(compiled, 'id', opened) : null;
    return id === null ? undefined : keyFromId(id);
  }
  const identity = readTextFact(compiled, 'identity', opened);
  if (identity === 'content') return keyFromContent(message.body);
  const own = readHeaderFacts(headers).eventKey;
  if (own !== undefined || identity !== null) return own ?? `${scheme}:${identity}`;
  if (taken && message.facts.sourceKind === undefined) return keyFromContent(taken);
  return message.facts.eventKey;
}

/** As far as they are told; without a reason, the condition on which the broker gave up. */
function describeError(compiled: CompiledFormat, opened: Opened): Partial<Facts> {
  const text = (fact: Fact) => readTextFact(compiled, fact, opened);
  const [message, stacktrace] = [text('reason'), text('stack')];
  const { reason, errorClass } = describeException({
    errorClass: text('class') ?? findClass(stacktrace, message),
    message,
    stacktrace,
    cause: { errorClass: text('causeClass'), message: text('cause') },
  });
  const errorReason = reason ?? text('condition');
  return {
    ...(errorReason !== null && { errorReason, errorClass }),
    ...(stacktrace !== null && { errorStacktrace: stacktrace }),
  };
}

/** JavaScript has the class only in the stack trace, before the message. */
function findClass(stack: string | null, message: string | null): string | null {
  const [prefix, errorClass = null] = /^([A-Za-z_$][\w$]*): /.exec(stack?.slice(0, 200) ?? '') ?? [];
  return prefix && message !== null && stack?.startsWith(message, prefix.length) ? errorClass : null;
}

function readMetadata({ metadata }: CompiledFormat, opened: Opened): Pick<Partial<Facts>, 'metadata'> {
  if (metadata.length === 0) return {};
  const found = metadata.map(([name, places]) => [name, findPlace(places, opened)?.value ?? null]);
  return { metadata: addNotes(opened.message.facts.metadata, Object.fromEntries(found)) };
}
