import type { Status } from './events.ts';
import { latestFirst } from './latest-first.ts';
import { statement } from './sql.ts';

/** What a list tells of an event; of a long error the beginning. */
export type EventSummary = {
  readonly id: string;
  readonly eventType: string;
  readonly status: Status;
  readonly priority: number;
  readonly errorReason: string;
  readonly errorClass: string | null;
  readonly failureKind: string | null;
  readonly fingerprint: string | null;
  readonly sourceKind: string;
  readonly sourceTopic: string | null;
  readonly sourceSubscription: string | null;
  readonly consumerGroup: string | null;
  readonly key: string | null;
  readonly eventId: string | null;
  readonly traceId: string | null;
  readonly retryCount: number;
  readonly failureCount: number;
  readonly capturedAt: Date;
  readonly failedAt: Date;
  readonly occurredAt: Date | null;
  readonly retryAfter: Date;
  readonly processedAt: Date | null;
};

export type ListedEvent = EventSummary & {
  /** In microseconds since 1970, where the list is by time. */
  readonly time: string | null;
};

/** The latest events behind a position. `most` null: all of them, which is only good for asking what that would cost. */
export const listEvents = latestFirst<ListedEvent>('list-events');

/** The same of those that are archived. */
export const listArchivedEvents = latestFirst<ListedEvent>('list-archived-events');

/** One event as the text of JSON; nothing comes back where there is no such event. */
export const showEvent = statement<{ id: string; mostBytes: number }, { readonly json: string }>(
  'show-event',
);

/** A delivery that was tried. */
export type AttemptSummary = {
  readonly id: string;
  readonly runId: string | null;
  readonly number: number;
  readonly outcome: 'delivered' | 'transient' | 'permanent' | 'ambiguous' | 'lost';
  readonly target: string;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
};

export const listEventAttempts = statement<{ eventId: string; before: string; most: number }, AttemptSummary>(
  'list-event-attempts',
);
