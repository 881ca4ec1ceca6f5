import { ConflictError } from '../../../shared/errors.ts';
import { filteredStatement } from '../../../shared/filtered-statement.ts';
import { statement } from '../../../shared/sql.ts';
import type { ReplayDeps } from '../replay-deps.ts';
import { getRun } from './change-run.ts';
import { checkEdit } from './check-edit.ts';
import type { Run } from './run.ts';
import type { RunRequest } from './run-request.ts';
import { surveySelection } from './survey-selection.ts';

const insertRun = filteredStatement<
  {
    lanes: readonly string[];
    includeSucceeded: boolean;
    includeDiscarded: boolean;
    actor: string;
    reason: string | null;
    request: string;
    requestHash: string;
    idempotencyKey: string | null;
    patch: string | null;
    origins: string;
    leftOut: string;
    pace: string;
    watchSeconds: number;
    editedBody: Buffer | null;
    editedHeaders: string | null;
  },
  { readonly id: string }
>('create-run');

const findRunByKey = statement<
  { idempotencyKey: string },
  { readonly id: string; readonly request_hash: string }
>('find-run-by-key');

export type Created = { readonly run: Run; readonly isNew: boolean };

/**
 * Makes a run of exactly the events that match now and may be replayed. The same idempotency key with the same request is
 * the run that was made first; with another request it is a ConflictError.
 */
export async function createRun(
  deps: Pick<ReplayDeps, 'db' | 'routes' | 'costLimit'>,
  request: RunRequest,
  actor: string,
): Promise<Created> {
  const { db } = deps;
  const known = await findKnown(deps, request);
  if (known) return known;
  const { lanes, leftOut } = await surveySelection(deps, request);
  await checkEdit(db, request);
  const { filter, includeSucceeded, includeDiscarded, target } = request;
  const [inserted] = await insertRun(db, filter, {
    lanes: lanes.map(({ lane }) => lane),
    includeSucceeded,
    includeDiscarded,
    actor,
    reason: request.reason ?? null,
    request: JSON.stringify({ filter, includeSucceeded, includeDiscarded, target }),
    requestHash: request.hash,
    idempotencyKey: request.idempotencyKey ?? null,
    patch: request.patch ?? null,
    origins: JSON.stringify(lanes),
    leftOut: JSON.stringify(leftOut),
    pace: JSON.stringify(request.pace),
    watchSeconds: request.watchSeconds,
    editedBody: request.edit?.body ?? null,
    editedHeaders: request.edit?.headers ? JSON.stringify(request.edit.headers) : null,
  });
  if (inserted) return { run: await getRun(db, inserted.id), isNew: true };
  // Somebody was first with this key while we looked around.
  const first = await findKnown(deps, request);
  if (first) return first;
  throw new Error('A run was neither made nor found.');
}

async function findKnown(
  { db }: Pick<ReplayDeps, 'db'>,
  { idempotencyKey, hash }: RunRequest,
): Promise<Created | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const [known] = await findRunByKey(db, { idempotencyKey });
  if (!known) return undefined;
  if (known.request_hash === hash) return { run: await getRun(db, known.id), isNew: false };
  throw new ConflictError(
    `The idempotency key "${idempotencyKey}" belongs to run ${known.id}, which was asked for with another request: send that one again, or use another key.`,
  );
}
