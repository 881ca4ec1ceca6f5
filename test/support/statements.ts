import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { countColumns } from '../../shared/counts/aggregate-counts.ts';
import { insert } from '../../shared/database/statement.ts';
import { breakerTerms } from '../../shared/delivery/breaker-terms.ts';
import { messageFacts } from '../../shared/delivery/leased-event.ts';
import { isAlive } from '../../shared/delivery/slots.ts';
import { isInPlace } from '../../shared/events/actions/run-action.ts';
import { selectDetailed, selectListed } from '../../shared/events/event-columns.ts';
import { orders } from '../../shared/events/filter/page-position.ts';
import { latestEvent, novelty } from '../../shared/groups/error-groups.ts';
import { runColumns } from '../../shared/replay/run.ts';
import { exclusion } from '../../shared/replay/skip-reasons.ts';
import { tickColumns } from '../../shared/schedule/ticks.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The statement files of the product, as paths from the root of the repository. */
export const statementFiles: readonly string[] = globSync('{shared,functions}/**/*.sql', { cwd: root });

/**
 * The text of one of them, by its name without `.sql`, with the fragments that do not depend on a request.
 */
export function readStatement(name: string): string {
  const file = statementFiles.find((each) => path.basename(each) === `${name}.sql`);
  if (file === undefined) throw new Error(`There is no statement ${name}.sql.`);
  return insert(readFileSync(path.join(root, file), 'utf8'), {
    novelty,
    latestEvent,
    isInPlace,
    runColumns,
    tickColumns,
    isAlive,
    ...countColumns,
    ...breakerTerms,
    ...messageFacts,
  });
}

/** Any fragments of the statements whose text depends on a request. */
const anyFragments = {
  ...orders.id,
  filter: 'true',
  isOther: 'true',
  assignments: `status = 'PENDING'`,
  table: 'dlq_events',
  columns: selectDetailed('1000'),
  fingerprint: 'event.fingerprint',
  state: 'status, null::text as barrier',
  kept: 'status',
  exclusion: exclusion({}, 'null'),
};

/** The text of a statement as one of the requests for it has it. */
export function readWholeStatement(name: string): string {
  const columns = name === 'list-events' ? selectListed('1000') : anyFragments.columns;
  return insert(readStatement(name), { ...anyFragments, columns });
}
