import type { LeasedEvent, Status } from '../../../shared/events.ts';
import { filteredStatement } from '../../../shared/filtered-statement.ts';
import { findRoute, type Origin } from '../../../shared/routes.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import type { RunRequest } from './run-request.ts';
import { type ShownChange, showChange } from './show-change.ts';

type Sampled = Origin &
  Pick<LeasedEvent, 'id' | 'body' | 'payload_text' | 'payload_encoding' | 'headers'> & {
    readonly status: Status;
    readonly created_at: Date;
    readonly error_reason: string;
  };

const sampleSelection = filteredStatement<
  { lanes: readonly string[]; includeSucceeded: boolean; includeDiscarded: boolean; limit: number },
  Sampled
>('sample-selection');

/**
 * An event that would be delivered. What is edited is shown before and after, without what its route hides, or why the
 * patch does not fit it.
 */
export type Sample = ShownChange & {
  readonly id: string;
  readonly eventType: string;
  readonly status: Status;
  readonly capturedAt: Date;
  readonly errorReason: string;
};

/** The first events of a choice. */
export async function listSamples(
  { db, routes }: Pick<ReplayDeps, 'db' | 'routes'>,
  request: RunRequest,
  lanes: readonly string[],
): Promise<Sample[]> {
  const { filter, includeSucceeded, includeDiscarded, samples: limit } = request;
  const rows = await sampleSelection(db, filter, { lanes, includeSucceeded, includeDiscarded, limit });
  return rows.map((row) => ({
    id: row.id,
    eventType: row.event_type,
    status: row.status,
    capturedAt: row.created_at,
    errorReason: row.error_reason,
    ...showChange(row, { ...request, mask: findRoute(routes, row)?.mask }),
  }));
}
