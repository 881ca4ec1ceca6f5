import type { Database } from '../../shared/database.ts';
import { statement } from '../../shared/sql.ts';
import type { Capture } from './message.ts';
import { viewPayload } from './payload.ts';

const checkJson = statement<{ texts: string }, { readonly count: string }>('check-json');

/**
 * Of captures that PostgreSQL would not store together those whose JSON it cannot hold. By halves, so that one among
 * thousands is found in a few statements.
 */
export async function findRefused(db: Database, captures: readonly Capture[]): Promise<readonly Capture[]> {
  const texts = captures
    .map(viewPayload)
    .filter(({ encoding }) => encoding === 'json')
    .map(({ content }) => content);
  try {
    await checkJson(db, { texts: JSON.stringify(texts) });
    return [];
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (captures.length === 1) return captures;
    const middle = captures.length >> 1;
    return [
      ...(await findRefused(db, captures.slice(0, middle))),
      ...(await findRefused(db, captures.slice(middle))),
    ];
  }
}

/** Class 22: data exception. Class 54: a limit of the server's, as for the depth of JSON. */
export function isDataError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(22|54)/.test(String(error.code));
}
