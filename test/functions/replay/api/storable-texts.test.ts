import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refresh } from '../../../../shared/groups/refresh-groups.ts';
import { useApi } from '../../../support/api.ts';
import { useDatabase } from '../../../support/database.ts';
import { anEvent } from '../../../support/factories.ts';

type Parameter = { readonly name: string; readonly in: string };
type Document = {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
};

/** Neither PostgreSQL's text nor its jsonb can store them. */
const text = 'a\0b\uD800';
const filter = { ids: ['1'] };

const requests = {
  '/groups/change': { fingerprints: [text, 'v2:one'], change: { owner: text, note: text, reason: text } },
  '/groups/v2:one/merge': { into: text, reason: text },
  '/groups/v2:one/split': { reason: text },
  '/groups/a%00b': { reason: text },
  '/groups/a%00b/merge': { into: 'v2:one', reason: text },
  '/targets/a%00b/hold': { reason: text },
  '/schedule/run': { reason: text },
  '/events/discard': { filter: { errorText: text, payload: { [text]: text } }, reason: text },
  '/events/import': { lines: [text], key: text, reason: text },
  '/events/restore': { ids: ['1'], reason: text },
  '/runs': { filter, reason: text },
  '/runs/1/pause': { reason: text },
};

describe('a text of a request that PostgreSQL cannot store', () => {
  const database = useDatabase();
  const api = useApi(database);

  it('is stored with U+FFFD in place of those characters, by every operation', async () => {
    await anEvent(database(), { fingerprint: 'v2:one' });
    await refresh(database().db);
    for (const [path, body] of Object.entries(requests)) {
      const { status } = await api().post(path, body);
      assert.ok(status < 500, `${path}: ${status}`);
    }
    const rows = await database().sql(
      `select owner, note, (select reason from dlq_audit where action = 'change group' limit 1) as reason
       from dlq_error_groups where fingerprint = 'v2:one'`,
    );
    assert.deepEqual(rows, [{ owner: 'a\uFFFDb\uFFFD', note: 'a\uFFFDb\uFFFD', reason: 'a\uFFFDb\uFFFD' }]);
  });

  it('is no error of the server in any parameter', async () => {
    const { paths } = (await (await fetch(`${api().url}/openapi.json`)).json()) as Document;
    for (const [path, { get }] of Object.entries(paths)) {
      for (const { name, in: location } of get?.parameters ?? []) {
        const at = location === 'query' ? `${path}?${name}=a%00b` : path.replace(`{${name}}`, 'a%00b');
        const { status } = await api().get(at.replaceAll(/\{\w+\}/g, '1'));
        assert.ok(status < 500, `${at}: ${status}`);
      }
    }
  });
});
