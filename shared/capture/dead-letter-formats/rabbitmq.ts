import { isObject, parseJson } from '../../json/parse-json.ts';
import { toCount, toDateFromSeconds, toText } from '../column-values.ts';
import { describeException } from '../exception.ts';
import { type Headers, readHeader } from '../header-values.ts';
import { keyFromContent } from '../identity.ts';
import type { Facts, Message } from '../message.ts';

/** The first dead-lettering of a message. */
export type Death = {
  readonly reason: string | null;
  readonly queue: string | null;
  readonly exchange: string | null;
  readonly routingKey: string | null;
  /** Deliveries that a consumer rejected. Other deaths say nothing about deliveries, not even `delivery_limit`. */
  readonly rejections: number | null;
  /** When the broker dead-lettered the message, to the second. */
  readonly at: Date | null;
};

/**
 * A message that RabbitMQ dead-lettered, or that Spring AMQP republished with its exception. The broker's reason is only
 * `rejected`, `expired`, `maxlen` or `delivery_limit`. Spring names the queue only as the routing key of the default exchange.
 * https://www.rabbitmq.com/docs/dlx#effects
 * https://docs.spring.io/spring-amqp/reference/amqp/resilience-recovering-from-errors-and-broker-failures.html
 */
export function readRabbitDeadLetter(message: Message): Partial<Facts> | undefined {
  const { body, headers, facts } = message;
  const death = findFirstDeath(headers);
  const republished = readRepublished(headers);
  if (!death && !republished) return undefined;
  const queue = republished?.queue ?? death?.queue ?? null;
  const routingKey = republished?.routingKey ?? death?.routingKey ?? facts.sourceKey ?? null;
  const { reason = null, errorClass = null, stacktrace = null } = republished?.exception ?? {};
  return {
    eventKey: facts.eventKey ?? keyFromContent(body),
    ...(facts.isTypeTold === false && routingKey !== null && { eventType: routingKey, isTypeTold: false }),
    errorReason: reason ?? death?.reason ?? null,
    errorClass,
    errorStacktrace: stacktrace,
    sourceKind: republished ? 'spring-amqp' : 'rabbitmq',
    sourceTopic: (republished ? republished.exchange : death?.exchange) ?? null,
    consumer: queue,
    sourceSubscription: queue,
    sourceKey: routingKey,
    sourceAttempts: death?.rejections ?? null,
    // Messages without an id and with equal content are told apart by it.
    ...(death?.at && { metadata: { ...facts.metadata, deadLetteredAt: death.at.toISOString() } }),
  };
}

/** The facts of Spring's `RepublishMessageRecoverer`: the message of the exception that the listener threw, and its trace. */
function readRepublished(headers: Headers) {
  const header = (name: string) => readHeader(headers, name);
  const routingKey = header('x-original-routingKey');
  const exchange = header('x-original-exchange');
  if (routingKey === null && exchange === null) return undefined;
  const exception = describeException({
    errorClass: null,
    message: header('x-exception-message'),
    stacktrace: header('x-exception-stacktrace'),
  });
  return { exchange, routingKey, queue: exchange === null ? routingKey : null, exception };
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
    rejections: first?.reason === 'rejected' ? toCount(first.count) : null,
    at: toDateFromSeconds(first?.time),
  };
}
