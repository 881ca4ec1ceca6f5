import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useDatabase } from '../support/database.ts';

describe('the compression of messages', () => {
  const database = useDatabase();

  it('is lz4 where the server has it, else that of the server', async () => {
    const [server] = await database().sql<{ methods: string[] }>(
      "select enumvals as methods from pg_settings where name = 'default_toast_compression'",
    );
    const columns = await database().sql(`
      select attname, attcompression from pg_attribute
      where attrelid = 'dlq_events'::regclass and attname in ('payload', 'body') order by attname`);
    const attcompression = server?.methods.includes('lz4') ? 'l' : '';
    assert.deepEqual(columns, [
      { attname: 'body', attcompression },
      { attname: 'payload', attcompression },
    ]);
  });
});
