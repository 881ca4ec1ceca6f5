import type { HeaderValue } from '../../events/event.ts';
import { isObject, parseJson } from '../../json/parse-json.ts';
import { toDateFromSeconds, toText } from '../column-values.ts';
import { lastText } from '../header-values.ts';

/**
 * The first dead-lettering of a message in RabbitMQ, by field, or undefined for a message without any.
 * `x-death` has one entry for each queue and reason, newest first; newer brokers name the first one in
 * `x-first-*`. Deliveries are those that a consumer rejected: other deaths say nothing about deliveries, not
 * even `delivery_limit`.
 * https://www.rabbitmq.com/docs/dlx#effects
 */
export function readFirstDeath(
  named: Pick<ReadonlyMap<string, HeaderValue>, 'get'>,
): Readonly<Record<string, unknown>> | undefined {
  const header = (name: string) => lastText(named.get(name));
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
    'routing-key': Array.isArray(routingKeys) ? toText(routingKeys[0]) : null,
    rejections: first?.reason === 'rejected' ? first.count : null,
    time: toDateFromSeconds(first?.time)?.toISOString(),
  };
}
