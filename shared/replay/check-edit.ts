import type { Database } from '../database/database.ts';
import { InputError } from '../errors.ts';
import { findEvents } from '../events/event.ts';
import type { RunRequest } from './run-request.ts';

/** Checks that the edited body of a JSON event is JSON too: its consumer cannot read anything else. Throws InputError. */
export async function checkEdit(db: Database, { edit, filter }: RunRequest): Promise<void> {
  if (edit?.body === undefined) return;
  const [event] = await findEvents(db, { ids: filter.ids ?? [] });
  if (event?.payloadEncoding !== 'json' || isJson(edit.body)) return;
  const remedy = 'Must be valid JSON in UTF-8, because the body of the event is JSON.';
  throw new InputError([{ field: 'edit.body', value: '(not shown)', remedy }]);
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
    return true;
  } catch {
    return false;
  }
}
