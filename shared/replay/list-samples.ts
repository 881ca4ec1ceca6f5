import * as v from 'valibot';
import type { LeasedEvent } from '../delivery/leased-event.ts';
import { findRoute } from '../delivery/routes.ts';
import type { Origin } from '../events/event.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { Status, text, time } from '../events/response-values.ts';
import type { ReplayDeps } from './replay-deps.ts';
import type { RunRequest } from './run-request.ts';
import { ShownChangeSchema, showChange } from './show-change.ts';

type Sampled = Origin &
  Pick<LeasedEvent, 'id' | 'body' | 'payloadText' | 'payloadEncoding' | 'headers'> & {
    readonly status: v.InferOutput<typeof Status>;
    readonly createdAt: Date;
    readonly errorReason: string;
  };

const sampleSelection = filteredStatement<
  { lanes: readonly string[]; includeSucceeded: boolean; includeDiscarded: boolean; limit: number },
  Sampled
>('sample-selection', import.meta.url);

/**
 * An event that would be delivered. Edited fields are shown before and after, with masked fields hidden, or the reason why
 * the patch does not apply.
 */
export const SampleSchema = v.strictObject({
  id: text,
  eventType: text,
  status: Status,
  capturedAt: time,
  errorReason: text,
  ...ShownChangeSchema.entries,
});

/** Lists the first events of a selection. */
export async function listSamples(
  { db, routes }: Pick<ReplayDeps, 'db' | 'routes'>,
  request: RunRequest,
  lanes: readonly string[],
): Promise<v.InferOutput<typeof SampleSchema>[]> {
  const { filter, includeSucceeded, includeDiscarded, samples: limit } = request;
  const rows = await sampleSelection(db, filter, { lanes, includeSucceeded, includeDiscarded, limit });
  return rows.map((row) => ({
    id: row.id,
    eventType: row.eventType,
    status: row.status,
    capturedAt: row.createdAt,
    errorReason: row.errorReason,
    ...showChange(row, { ...request, mask: findRoute(routes, row)?.mask }),
  }));
}
