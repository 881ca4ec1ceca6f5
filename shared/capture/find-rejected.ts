import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Capture } from './message.ts';
import { toPayload } from './payload.ts';

const checkJson = statement<{ texts: string }, { readonly count: string }>('check-json', import.meta.url);

/**
 * Finds the captures whose JSON jsonb cannot hold, after a statement with all of them failed. Searches by halves: one
 * capture among thousands takes a few statements.
 */
export async function findRejected(db: Database, captures: readonly Capture[]): Promise<readonly Capture[]> {
  const texts = captures
    .map((capture) => ({ ...toPayload(capture), text: capture.body.toString() }))
    .filter(({ encoding }) => encoding === 'json')
    .map(({ content, text }) => content ?? text);
  try {
    await checkJson(db, { texts: JSON.stringify(texts) });
    return [];
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (captures.length === 1) return captures;
    const middle = captures.length >> 1;
    return [
      ...(await findRejected(db, captures.slice(0, middle))),
      ...(await findRejected(db, captures.slice(middle))),
    ];
  }
}

/** SQLSTATE class 22 is a data exception, class 54 a limit of the server, such as the depth of JSON. */
export function isDataError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(22|54)/.test(String(error.code));
}
