import { statement } from '../database/statement.ts';
import { errorCodeOf } from '../database/unavailable.ts';
import { ConflictError, SelectionChangedError } from '../errors.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { log } from '../log.ts';
import { estimateSelection, type SelectionEstimate } from './estimate-selection.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { getRun, type Run } from './run.ts';
import type { RunRequest } from './run-request.ts';
import { exclusion } from './skip-reasons.ts';

const insertRun = filteredStatement<ReturnType<typeof toParams>, { readonly id: string }>(
  'create-run',
  (filter) => ({ exclusion: exclusion(filter) }),
);

const findRunByKey = statement<
  { idempotencyKey: string },
  { readonly id: string; readonly requestHash: string }
>('find-run-by-key');

type Created = { readonly run: Run; readonly isNew: boolean };

/**
 * Creates a run of the events that match now and may be replayed, or of the edit of one. With a known
 * idempotency key and the same request it returns the existing run. Throws ConflictError if the key belongs
 * to another request, or the event has changed, InputError and TooCostlyError.
 */
export async function createRun(
  deps: Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>,
  request: RunRequest,
  actor: string,
): Promise<Created> {
  const { db } = deps;
  const known = await findKnown(deps, request);
  if (known) return known;
  const estimate = await estimateSelection(deps, request);
  const [inserted] = await insertRun(db, request.filter, toParams(request, estimate, actor)).catch(
    noneIfTaken,
  );
  if (inserted) {
    log('INFO', `replay created: ${inserted.id}`, { action: 'create-run', runId: inserted.id });
    return { run: await getRun(db, inserted.id), isNew: true };
  }
  // Another request with this key was first.
  const first = await findKnown(deps, request);
  if (first) return first;
  if (request.selection !== undefined) throw new SelectionChangedError(request.selection);
  const remedy = 'is being delivered, or was edited or archived: look at it again.';
  throw new ConflictError(`Event ${request.filter.ids} ${remedy}`);
}

/** Another has taken the event to edit at this moment: a run event without an id violates its key. */
function noneIfTaken(error: unknown): [] {
  if (errorCodeOf(error) === '23502') return [];
  throw error;
}

function toParams(request: RunRequest, estimate: SelectionEstimate, actor: string) {
  const { filter, target, edit } = request;
  const { unrouted, excluded } = estimate;
  return {
    unrouted,
    actor,
    reason: request.reason ?? null,
    request: JSON.stringify({ filter, target }),
    requestHash: request.hash,
    idempotencyKey: request.idempotencyKey ?? null,
    patch: request.patch ?? null,
    // What is edited is what was checked.
    selection: request.selection ?? (edit ? estimate.selection : null),
    body: edit?.body ?? null,
    headers: edit?.headers ? JSON.stringify(edit.headers) : null,
    excluded: JSON.stringify(excluded),
    rollout: JSON.stringify(request.rollout),
  };
}

async function findKnown(
  { db }: Pick<ReplayDeps, 'db'>,
  { idempotencyKey, hash }: RunRequest,
): Promise<Created | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const [known] = await findRunByKey(db, { idempotencyKey });
  if (!known) return undefined;
  if (known.requestHash === hash) return { run: await getRun(db, known.id), isNew: false };
  throw new ConflictError(
    `The idempotency key "${idempotencyKey}" belongs to run ${known.id}, which was created by another request: send that request again, or use another key.`,
  );
}
