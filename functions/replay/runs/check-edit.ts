import type { Database } from '../../../shared/database.ts';
import { InputError } from '../../../shared/errors.ts';
import { findEvents } from '../../../shared/events.ts';
import type { RunRequest } from './run-request.ts';

/** What was JSON has to stay JSON: its consumer reads nothing else. Throws InputError. */
export async function checkEdit(db: Database, { edit, filter }: RunRequest): Promise<void> {
  if (edit?.body === undefined) return;
  const [event] = await findEvents(db, { ids: filter.ids ?? [] });
  if (event?.payload_encoding !== 'json' || isJson(edit.body)) return;
  const remedy = 'The event is JSON, so that the edited body must be valid JSON in UTF-8.';
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
