import type { Context } from 'hono';
import { toStorableText } from '../../shared/database/storable-text.ts';
import type { ConsoleUser } from '../identity/identify-user.ts';
import type { NodeEnv } from '../serve-app.ts';
import { readNotice } from './notice.ts';
import type { ConsoleDeps, PageContext } from './page.ts';

/** The facts of a request beside it: its user, once identified, and its form, once read. */
export type ConsoleEnv = NodeEnv & {
  readonly Variables: { caller?: ConsoleUser; form?: URLSearchParams };
};

/** An unidentified caller sees only the error page. */
const unidentified: ConsoleUser = { name: '', via: 'local', isOperator: false };

/** Reads a request. */
export function openPageContext(
  c: Context<ConsoleEnv>,
  { base, listen, environment = '' }: ConsoleDeps,
): PageContext {
  const { pathname: path, searchParams: query } = new URL(c.req.url);
  return {
    base,
    environment,
    caller: c.get('caller') ?? unidentified,
    path,
    params: Object.fromEntries(toStorable(Object.entries(c.req.param()))),
    query: new URLSearchParams(toStorable([...query])),
    form: new URLSearchParams(toStorable([...(c.get('form') ?? [])])),
    ...readNotice(c),
    hasNotifications: listen !== undefined,
    now: new Date(),
  };
}

/** PostgreSQL rejects a statement for U+0000 in any text. */
function toStorable(fields: readonly [name: string, value: string][]): [name: string, value: string][] {
  return fields.map(([name, value]) => [name, toStorableText(value)]);
}
