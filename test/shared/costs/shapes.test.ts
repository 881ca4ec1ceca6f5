import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeCaptures } from '../../../shared/capture/store-captures.ts';
import { firstPosition } from '../../../shared/events/filter/page-position.ts';
import { parseFilterText } from '../../../shared/events/filter/parse-filter-text.ts';
import { listCaptures, listEventAttempts, listEvents } from '../../../shared/events/list-events.ts';
import { readGroups } from '../../../shared/groups/error-groups.ts';
import { listGroups } from '../../../shared/groups/list-groups.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { aCapture } from '../../support/captures.ts';
import { explainAll } from '../../support/costs.ts';
import { useDatabase } from '../../support/database.ts';
import { firstGroups } from '../../support/group-page.ts';
import { fillShape, shapeNames } from '../../support/shapes.ts';

const size = 2000;

/** Pages of tables and indexes that one request may read. */
const maxPages: Readonly<Record<string, number>> = {
  'capture-events': 80,
  'list-event-attempts': 10,
  'list-captures': 10,
  'list-groups': 400,
  'list-members': 10,
  'read-groups': 500,
};
/** A page of the list of events has no name: its text depends on the filter. The table has 134 pages. */
const maxListed = 40;

describe('a list, an event and a capture read a bounded number of pages', () => {
  const database = useDatabase();

  for (const shape of shapeNames) {
    it(`with ${size} ${shape}`, async () => {
      const { clear, db, sql } = database();
      await clear();
      await fillShape(db, shape, { size, events: size });
      await refresh(db);
      await sql('vacuum (analyze, index_cleanup on)');
      const [first = { id: '', fingerprint: '' }] = await sql<{ id: string; fingerprint: string }>(
        'select id::text, fingerprint from dlq_events order by id limit 1',
      );
      const pages: [name: string, pages: number][] = [];
      const explained = explainAll(db, (name, cost) => pages.push([name, cost.pages]));
      for (const text of ['status:open', 'due:now', 'type:type-0', `fingerprint:${first.fingerprint}`]) {
        const parsed = parseFilterText(text);
        assert.ok(parsed.ok, text);
        await listEvents(explained, parsed.value, { ...firstPosition, max: 51 });
      }
      await listEventAttempts(explained, { eventId: first.id, before: '9223372036854775807', max: 50 });
      await listCaptures(explained, first.id, 1024);
      await listGroups(explained, firstGroups());
      await readGroups(explained, { fingerprints: [first.fingerprint], until: new Date() });
      // The first of a session reads the catalog, too: of several captures the cheapest is compared.
      for (const eventKey of ['id:first', 'id:second', 'id:third'])
        await storeCaptures({ db: explained, repeatSeconds: 600 }, [
          aCapture({ eventKey, eventType: 'type-0' }),
        ]);
      const lowest = (name: string) => Math.min(...pages.flatMap(([each, n]) => (each === name ? n : [])));
      const compared = pages.map(
        ([name, n]) => [name, name === 'capture-events' ? lowest(name) : n] as const,
      );
      assert.deepEqual(
        compared.filter(([name, count]) => !(count <= (maxPages[name] ?? maxListed))),
        [],
      );
    });
  }
});
