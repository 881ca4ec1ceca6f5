import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';
import type { System } from '../system.ts';

/** The most that PostgreSQL can do: COPY into a table without an index, and one UPDATE of all rows. */
export const limits: System = {
  name: 'limit: COPY, and one UPDATE',
  keeps: 'the message as JSON',
  tables: ['public.messages'],
  install: (url) =>
    withClient(url, (client) =>
      client.query(
        'create table messages (id bigserial, done boolean not null default false, message jsonb not null)',
      ),
    ),
  capture: (url, messages) =>
    withClient(url, async (client) => {
      // In COPY's text format a backslash is doubled.
      const lines = messages.map((message) => `${message.replaceAll('\\', '\\\\')}\n`);
      await pipeline(Readable.from(lines), client.query(from('copy messages (message) from stdin')));
    }),
  drains: {
    'one statement': (url) => withClient(url, (client) => client.query('update messages set done = true')),
  },
  count: {
    stored: 'select count(*) from messages',
    left: 'select count(*) from messages where not done',
  },
};

async function withClient(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
