import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openDatabase } from '../../shared/database/database.ts';
import { functionSettings, sessionSettings } from '../../shared/database/session-settings.ts';
import { useDatabase } from '../support/database.ts';
import { useHttpTarget } from '../support/http-target.ts';
import { lacksPgbouncer, type Pgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { tellStory } from '../support/story.ts';

describe('behind PgBouncer in transaction mode', { skip: lacksPgbouncer() }, () => {
  const database = useDatabase();
  const other = useDatabase();
  const target = useHttpTarget();
  let pgbouncer: Pgbouncer;
  before(async () => {
    pgbouncer = await startPgbouncer(database().url);
  });
  after(() => pgbouncer?.stop());

  it('functions capture, deliver and show the same', async () => {
    const plain = await tellStory(other().url, target());
    target().received.length = 0;

    assert.deepEqual(await tellStory(pgbouncer.url, target()), plain);
  });

  it('each connection has the settings of a function', async () => {
    const db = openDatabase({ kind: 'url', url: pgbouncer.url, poolMax: 8 }, 'test');
    const settings = { ...sessionSettings, ...functionSettings };
    const names = Object.keys(settings).filter((name) => !name.startsWith('tcp_'));
    const text = `select ${names.map((name, i) => `current_setting('${name}') as "${i}"`)} from pg_sleep(0.05)`;
    const results = await Promise.all(
      Array.from({ length: 8 }, () => db.query<Record<string, string>>({ text })),
    );
    await db.close();

    const wanted = names.map(
      (name) => `${name}=${settings[name as keyof typeof settings].replace('\\', '')}`,
    );
    for (const { rows } of results) {
      const found = names.map((name, i) => `${name}=${rows[0]?.[i]?.replace(/^ISO, MDY$/, 'ISO')}`);
      assert.deepEqual(found, wanted);
    }
  });

  it('100 statements of one name on few connections are each prepared where they run', async () => {
    const db = openDatabase({ kind: 'url', url: pgbouncer.url, poolMax: 8 }, 'test');
    const counts = Array.from({ length: 100 }, (_, i) =>
      db.query<{ n: number }>({ name: 'add-one', text: 'select $1::int + 1 as n', values: [i] }),
    );
    const sums = (await Promise.all(counts)).map(({ rows }) => rows[0]?.n);
    await db.close();

    assert.deepEqual(
      sums,
      Array.from({ length: 100 }, (_, i) => i + 1),
    );
  });
});
