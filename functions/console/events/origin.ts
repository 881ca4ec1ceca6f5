import type { Route } from '../../../shared/delivery/routes.ts';
import { nameTarget } from '../../../shared/delivery/targets/target-kinds.ts';
import type { EventView } from '../../../shared/events/read-event.ts';
import { facts } from '../components/facts.ts';
import { ago, formatNumber, moment } from '../components/format.ts';
import { type Content, html } from '../html.ts';

/** The origin of an event. */
export function originFacts(event: EventView): Content {
  const { sourcePartition: partition, sourceOffset: offset } = event;
  return facts([
    ['Source', event.sourceKind],
    ['Topic', event.sourceTopic],
    ['Partition', partition !== null && `${partition}, offset ${offset ?? 'unknown'}`],
    ['Key', code(event.sourceKey)],
    ['Subscription', code(event.sourceSubscription)],
    ['Consumer', event.consumerGroup],
    ['Attempts at source', event.sourceAttempts],
    ['Event id', code(event.eventId)],
    ['Trace', code(event.traceId)],
    ['Identity', code(event.eventKey)],
    ['Occurred', event.occurredAt && moment(event.occurredAt)],
  ]);
}

/** The progress of an event: failures, retries, lease and route. */
export function progressFacts(event: EventView, route: Route | undefined, now: Date): Content {
  const max = event.maxRetries ?? route?.policy.maxRetries;
  return facts([
    ['First failed', moment(event.firstFailureAt)],
    ['Last failed', event.failureCount > 1 && moment(event.lastFailureAt)],
    ['Failed', event.failureCount > 1 && `${formatNumber(event.failureCount)} times at the consumer`],
    ['Retries', `${formatNumber(event.retryCount)}${max === undefined ? '' : ` of ${formatNumber(max)}`}`],
    ['Next retry', event.status === 'PENDING' && describeNextRetry(event, route, now)],
    ['Lease ends', event.leaseExpiresAt && ago(event.leaseExpiresAt, now)],
    ['Closed', event.processedAt && moment(event.processedAt)],
    ['Priority', event.priority !== 0 && formatNumber(event.priority)],
    ['Target', route && code(nameTarget(route.target))],
    ['Stored in', event.isArchived && 'the archive'],
  ]);
}

function describeNextRetry({ retryAfter }: EventView, route: Route | undefined, now: Date): Content {
  if (!route) return 'none: no route matches';
  return html`${retryAfter <= now && 'due '}${ago(retryAfter, now)}`;
}

function code(value: string | null): Content {
  return value === null ? null : html`<code>${value}</code>`;
}
