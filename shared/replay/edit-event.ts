import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { ConflictError } from '../errors.ts';
import type { Edit } from './edit-schema.ts';
import type { RunRequest } from './run-request.ts';

const insertEdit = statement<
  { id: string; actor: string; reason: string | null; body: Buffer | null; headers: string | null },
  { readonly id: string }
>('edit-event', import.meta.url);

type EditRequest = Pick<RunRequest, 'filter' | 'reason'> & { readonly edit: Edit };

/**
 * Replaces the one event of a request by a new event with the edited message, in its place and state. Returns
 * the id of the edit. Throws a ConflictError if a worker has leased the event.
 */
export async function editEvent(db: Database, request: EditRequest, actor: string): Promise<string> {
  const { filter, reason = null, edit } = request;
  const [id = '0'] = filter.ids ?? [];
  const headers = edit.headers ? JSON.stringify(edit.headers) : null;
  const [edited] = await insertEdit(db, { id, actor, reason, body: edit.body ?? null, headers });
  if (edited) return edited.id;
  throw new ConflictError(`Event ${id} is being delivered or was archived: edit it once that is over.`);
}
