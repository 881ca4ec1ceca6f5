import { isObject, parseJson } from '../../json/parse-json.ts';
import { toCount, toDateFromSeconds, toText } from '../column-values.ts';
import { type Headers, readHeader } from '../header-values.ts';
import { keyFromContent, withConsumer } from '../identity.ts';
import type { Facts, Message } from '../message.ts';

/** The first dead-lettering of a message. */
export type Death = {
  readonly reason: string | null;
  readonly queue: string | null;
  readonly exchange: string | null;
  readonly routingKey: string | null;
  readonly count: number | null;
  /** When the broker dead-lettered the message, to the second. */
  readonly at: Date | null;
};

/**
 * A message that RabbitMQ dead-lettered, or that Spring AMQP republished with its exception. The broker's reason is only
 * `rejected`, `expired`, `maxlen` or `delivery_limit`.
 * https://www.rabbitmq.com/docs/dlx#effects
 * https://docs.spring.io/spring-amqp/reference/amqp/resilience-recovering-from-errors-and-broker-failures.html
 */
export function readRabbitDeadLetter(message: Message): Partial<Facts> | undefined {
  const { body, headers, facts } = message;
  const header = (name: string) => readHeader(headers, name);
  const death = findFirstDeath(headers);
  const exchange = header('x-original-exchange');
  const routingKey = header('x-original-routingKey');
  const isRepublished = exchange !== null || routingKey !== null;
  if (!death && !isRepublished) return undefined;
  return {
    eventKey: withConsumer(facts.eventKey ?? keyFromContent(body), death?.queue ?? null),
    isKeyPerDelivery: facts.isKeyPerDelivery ?? false,
    errorReason: header('x-exception-message') ?? death?.reason ?? null,
    errorStacktrace: header('x-exception-stacktrace'),
    sourceKind: isRepublished ? 'spring-amqp' : 'rabbitmq',
    sourceTopic: exchange ?? death?.exchange ?? null,
    sourceSubscription: death?.queue ?? null,
    sourceKey: routingKey ?? death?.routingKey ?? null,
    sourceAttempts: death?.count ?? null,
    // Messages without an id and with equal content are told apart by it.
    ...(death?.at && { metadata: { ...facts.metadata, deadLetteredAt: death.at.toISOString() } }),
  };
}

/**
 * The first dead-lettering, or undefined for a message without any. `x-death` has one entry for each queue and reason,
 * newest first; newer brokers name the first one in `x-first-*`.
 */
export function findFirstDeath(headers: Headers): Death | undefined {
  const header = (name: string) => readHeader(headers, name);
  const list = parseJson(header('x-death') ?? undefined);
  const deaths = Array.isArray(list) ? list.filter(isObject) : [];
  const [queue, reason] = [header('x-first-death-queue'), header('x-first-death-reason')];
  const isFirst = (death: Record<string, unknown>) => death.queue === queue;
  const first =
    deaths.findLast((death) => isFirst(death) && death.reason === reason) ??
    deaths.findLast(isFirst) ??
    deaths.at(-1);
  if (!first && queue === null && reason === null) return undefined;
  const routingKeys = first?.['routing-keys'];
  return {
    reason: reason ?? toText(first?.reason),
    queue: queue ?? toText(first?.queue),
    exchange: header('x-first-death-exchange') ?? toText(first?.exchange),
    routingKey: Array.isArray(routingKeys) ? toText(routingKeys[0]) : null,
    count: toCount(first?.count),
    at: toDateFromSeconds(first?.time),
  };
}
