import { type Headers, readerOf } from '../header-value.ts';
import { keyFromContent, withConsumer } from '../identity.ts';
import type { Facts, Message } from '../message.ts';
import { isObject, parseJson, toCount, toFact } from '../text.ts';

/** Where and why a message died first. */
export type Death = {
  readonly reason: string | null;
  readonly queue: string | null;
  readonly exchange: string | null;
  readonly routingKey: string | null;
  readonly count: number | null;
};

/**
 * A message that RabbitMQ dead-lettered, or that Spring AMQP published anew with its exception. The broker knows no
 * more of the reason than `rejected`, `expired`, `maxlen` or `delivery_limit`.
 * https://www.rabbitmq.com/docs/dlx#effects
 * https://docs.spring.io/spring-amqp/reference/amqp/resilience-recovering-from-errors-and-broker-failures.html
 */
export function readRabbitDeadLetter(message: Message): Partial<Facts> | undefined {
  const { body, headers, facts } = message;
  const told = readerOf(headers);
  const death = findFirstDeath(headers);
  const exchange = told('x-original-exchange');
  const routingKey = told('x-original-routingKey');
  const isRepublished = exchange !== null || routingKey !== null;
  if (!death && !isRepublished) return undefined;
  return {
    eventKey: withConsumer(facts.eventKey ?? keyFromContent(body), death?.queue ?? null),
    errorReason: told('x-exception-message') ?? death?.reason ?? null,
    errorStacktrace: told('x-exception-stacktrace'),
    sourceKind: isRepublished ? 'spring-amqp' : 'rabbitmq',
    sourceTopic: exchange ?? death?.exchange ?? null,
    sourceSubscription: death?.queue ?? null,
    sourceKey: routingKey ?? death?.routingKey ?? null,
    sourceAttempts: death?.count ?? null,
  };
}

/** `x-death` has one entry for each queue and reason, newest first; newer brokers name the first one in `x-first-*`. */
export function findFirstDeath(headers: Headers): Death | undefined {
  const told = readerOf(headers);
  const list = parseJson(told('x-death') ?? undefined);
  const deaths = Array.isArray(list) ? list.filter(isObject) : [];
  const [queue, reason] = [told('x-first-death-queue'), told('x-first-death-reason')];
  const isFirst = (death: Record<string, unknown>) => death.queue === queue;
  const first =
    deaths.findLast((death) => isFirst(death) && death.reason === reason) ??
    deaths.findLast(isFirst) ??
    deaths.at(-1);
  if (!first && queue === null && reason === null) return undefined;
  const routingKeys = first?.['routing-keys'];
  return {
    reason: reason ?? toFact(first?.reason),
    queue: queue ?? toFact(first?.queue),
    exchange: told('x-first-death-exchange') ?? toFact(first?.exchange),
    routingKey: Array.isArray(routingKeys) ? toFact(routingKeys[0]) : null,
    count: toCount(first?.count),
  };
}
