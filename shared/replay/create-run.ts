import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ConflictError, SelectionChangedError } from '../errors.ts';
import { isInPlace } from '../events/actions/run-action.ts';
import { filteredStatement } from '../events/filter/filtered-statement.ts';
import { log } from '../log.ts';
import { estimateSelection, type SelectionEstimate } from './estimate-selection.ts';
import type { ReplayDeps } from './replay-deps.ts';
import { getRun, type Run } from './run.ts';
import type { Edit, RunRequest } from './run-request.ts';
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
  const selected = request.edit ? await selectEdit(db, request, { estimate, actor }) : request;
  const [inserted] = await insertRun(db, selected.filter, toParams(selected, estimate, actor));
  if (inserted) {
    log('INFO', `replay created: ${inserted.id}`, { action: 'create-run', runId: inserted.id });
    return { run: await getRun(db, inserted.id), isNew: true };
  }
  // Another request with this key was first.
  const first = await findKnown(deps, request);
  if (first) return first;
  if (request.selection !== undefined) throw new SelectionChangedError(request.selection);
  throw new Error('The run was neither created nor found.');
}

/** Edits the previewed event: the run selects the edit in its place. */
async function selectEdit(
  db: ReplayDeps['db'],
  request: RunRequest,
  { estimate, actor }: { readonly estimate: SelectionEstimate; readonly actor: string },
): Promise<RunRequest> {
  const { edit, selection, ...rest } = request;
  if (selection !== undefined && selection !== estimate.selection) throw new SelectionChangedError(selection);
  if (!edit || estimate.selected === 0) return rest;
  return { ...rest, filter: { ids: [await editEvent(db, { ...request, edit }, actor)] } };
}

function toParams(request: RunRequest, { unrouted, excluded }: SelectionEstimate, actor: string) {
  const { filter, target } = request;
  return {
    unrouted,
    actor,
    reason: request.reason ?? null,
    request: JSON.stringify({ filter, target }),
    requestHash: request.hash,
    idempotencyKey: request.idempotencyKey ?? null,
    patch: request.patch ?? null,
    selection: request.selection ?? null,
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

const insertEdit = statement<
  { id: string; actor: string; reason: string | null; body: Buffer | null; headers: string | null },
  { readonly id: string }
>('edit-event', { isInPlace });

type EditRequest = Pick<RunRequest, 'filter' | 'reason'> & { readonly edit: Edit };

/**
 * Replaces the one event of a request by a new event with the edited message, in its place and state. Returns
 * the id of the edit. Throws a ConflictError if it is leased, or another edit has replaced it.
 */
export async function editEvent(db: Database, request: EditRequest, actor: string): Promise<string> {
  const { filter, reason = null, edit } = request;
  const [id = '0'] = filter.ids ?? [];
  const headers = edit.headers ? JSON.stringify(edit.headers) : null;
  const [edited] = await insertEdit(db, { id, actor, reason, body: edit.body ?? null, headers });
  if (edited) return edited.id;
  throw new ConflictError(`Event ${id} is being delivered, or was edited or archived: look at it again.`);
}
