import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Policy } from '../delivery/policy/policy.ts';
import type { Route } from '../delivery/routes.ts';
import { log } from '../log.ts';
import { measureAge } from '../time-text.ts';

/** As JSON for the function dlq_why_not_now; null for a route that refuses no event. */
export function rulesOf({ maxAge, errorClasses }: Policy): string | null {
  const listed = Object.entries(errorClasses);
  const age = measureAge(maxAge ?? '');
  if (age === undefined && listed.length === 0) return null;
  return JSON.stringify({
    ...(age !== undefined && { maxAgeSeconds: age / 1000 }),
    ...(listed.length > 0 && { permanentClass: `^(${listed.reduceRight(permanentOf, '(?!)')})` }),
  });
}

/** Of several classes that match the first one counts. */
function permanentOf(others: string, [name, kind]: [string, string]): string {
  const pattern = `${name.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`).replaceAll('*', '.*')}$`;
  return kind === 'permanent' ? `${pattern}|${others}` : `(?!${pattern})(${others})`;
}

export type Refused = {
  readonly id: string;
  readonly whyNot: 'expired' | 'permanent';
  readonly route: Route;
};

const refuseEvents = statement<
  { refused: readonly { readonly id: string; readonly answer: string | null }[] },
  { readonly id: string }
>('refuse-events');

/** They fail permanently without an attempt. Locked ones are refused later. Returns how many were closed. */
export async function closeRefused(db: Database, refused: readonly Refused[]): Promise<number> {
  if (refused.length === 0) return 0;
  const closed = await refuseEvents(db, {
    refused: refused.map(({ id, whyNot, route }) => ({
      id,
      answer:
        whyNot === 'expired' ? `Expired: older than ${route.policy.maxAge}, the maxAge of its route.` : null,
    })),
  });
  if (closed.length > 0) {
    const message = `${closed.length} due events were refused by their routes`;
    log('WARNING', message, { action: 'refuse', first: closed.slice(0, 20).map(({ id }) => id) });
  }
  return closed.length;
}
