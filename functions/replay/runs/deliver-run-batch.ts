import { createHash } from 'node:crypto';
import { type Batch, type DeliveredBatch, deliverBatch, release } from '../../../shared/deliver-batch.ts';
import type { Settlement } from '../../../shared/events.ts';
import type { RunEvent } from './claim-run-events.ts';
import { patchEvent } from './patch/patch-event.ts';
import { type Operation, readPatch } from './patch/read-patch.ts';
import type { Run } from './run.ts';

/**
 * Delivers a run's events, patched where the run has a patch; one that its patch does not fit is left out, with the
 * reason. The settlements are those of a retry, but that an event which was sent otherwise than the schedule would
 * send it goes back to what it was when it fails: the schedule would go on with the original.
 */
export async function deliverRunBatch(
  batch: Batch,
  run: Pick<Run, 'patch' | 'request'>,
  events: readonly RunEvent[],
): Promise<DeliveredBatch> {
  const patch = run.patch === null ? undefined : readPatch(run.patch);
  const prepared = events.map((event) => prepare(event, patch));
  const ready = prepared.flatMap((each) => ('event' in each ? [each.event] : []));
  const delivered = await deliverBatch(batch, ready);
  const isElsewhere = run.request.target !== undefined || patch !== undefined;
  const edited = new Map(ready.map((event) => [event.id, event]));
  const settlements = delivered.settlements.map((settlement) => {
    const event = edited.get(settlement.id);
    return event && (isElsewhere || event.is_edited) ? settleEdited(settlement, event) : settlement;
  });
  const unfit = prepared.flatMap((each) => ('unfit' in each ? [each] : []));
  return {
    ...delivered,
    events: [...delivered.events, ...unfit.map(({ unfit }) => unfit)],
    settlements: [...settlements, ...unfit.map(({ unfit, reason }) => leaveOut(batch, unfit, reason))],
  };
}

type Prepared = { readonly event: RunEvent } | { readonly unfit: RunEvent; readonly reason: string };

function prepare(event: RunEvent, patch: readonly Operation[] | undefined): Prepared {
  if (!patch) return { event };
  const patched = patchEvent(event, patch);
  if ('reason' in patched) return { unfit: event, reason: patched.reason };
  return { event: { ...event, body: patched.body, is_edited: true } };
}

/** A digest of what was sent, by which a second failure finds its event though its body is another one. */
function settleEdited(settlement: Settlement, { body, is_edited }: RunEvent): Settlement {
  const wasSent = settlement.outcome !== null && is_edited && body !== null;
  const sent_digest = wasSent ? createHash('sha256').update(body).digest('base64') : null;
  if (!settlement.is_failure) return { ...settlement, sent_digest };
  const asItWas = { goes_back: true, is_failure: false, retry_in_seconds: null, failure_kind: null };
  return { ...settlement, ...asItWas, sent_digest };
}

function leaveOut(batch: Batch, event: RunEvent, detail: string): Settlement {
  return { ...release(batch, event), skip_reason: 'patch', skip_detail: detail };
}
