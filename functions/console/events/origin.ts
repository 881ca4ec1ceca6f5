import { nameTarget, type Route } from '../../../shared/routes.ts';
import { type Content, html } from '../html.ts';
import { facts } from '../parts/facts.ts';
import { formatNumber } from '../parts/number.ts';
import { ago, moment } from '../parts/time.ts';
import type { EventView } from './read-event.ts';

/** Where an event came from. */
export function originFacts(event: EventView): Content {
  const { source_partition: partition, source_offset: offset } = event;
  return facts([
    ['Source', event.source_kind],
    ['Topic', event.source_topic],
    ['Partition', partition !== null && `${partition}, offset ${offset ?? 'unknown'}`],
    ['Key', code(event.source_key)],
    ['Subscription', code(event.source_subscription)],
    ['Consumer', event.consumer_group],
    ['Tries there', event.source_attempts],
    ['Event id', code(event.event_id)],
    ['Trace', code(event.trace_id)],
    ['Identity', code(event.event_key)],
    ['Occurred', event.occurred_at && moment(event.occurred_at)],
  ]);
}

/** How an event is getting on here. */
export function progressFacts(event: EventView, route: Route | undefined, now: Date): Content {
  const most = event.max_retries ?? route?.policy.maxRetries;
  return facts([
    ['First failed', moment(event.first_failure_at)],
    ['Last failed', event.failure_count > 1 && moment(event.last_failure_at)],
    ['Failed', event.failure_count > 1 && `${formatNumber(event.failure_count)} times at its consumer`],
    ['Retries', `${formatNumber(event.retry_count)}${most === undefined ? '' : ` of ${formatNumber(most)}`}`],
    [
      'Next retry',
      event.status === 'PENDING' && (route ? ago(event.retry_after, now) : 'none: it has no route'),
    ],
    ['Lease ends', event.lease_expires_at && ago(event.lease_expires_at, now)],
    ['Closed', event.processed_at && moment(event.processed_at)],
    ['Priority', event.priority !== 0 && formatNumber(event.priority)],
    ['Target', route && code(nameTarget(route.target))],
    ['Kept in', event.is_archived && 'the archive'],
  ]);
}

function code(value: string | null): Content {
  return value === null ? null : html`<code>${value}</code>`;
}
