import { compare, time } from './compare.ts';
import { withDatabase } from './database.ts';
import { type Event, eventsOf, type Size } from './events.ts';
import { layouts } from './layouts.ts';
import { captureColumns } from './statements.ts';
import { createLayout, empty } from './workload.ts';

const rounds = Number(process.argv[2] ?? 5);
const layout = layouts.find(({ name }) => name === 'L3 ff 50, EXTENDED') as (typeof layouts)[number];
const { definitions, names } = captureColumns;
const without = (name: string, list: string[]) => list.filter((column) => column.split(' ')[0] !== name);
const insert = (select: string) => `INSERT INTO dlq_events (${names}) SELECT ${select}
  ON CONFLICT (event_key) DO UPDATE SET failure_count = dlq_events.failure_count + 1 RETURNING id`;
const selected = (body: string) => names.map((name) => (name === 'body' ? body : name));
const rowsFrom = (source: string, body: string) =>
  insert(`${selected(body)} FROM ${source}_to_recordset($1::${source}) AS r(${definitions})`);
const typed = (type: string) => definitions.map((column) => column.replace(/^body text$/, `body ${type}`));
const withBody = (events: Event[], encode: (body: Buffer) => unknown) =>
  JSON.stringify(events.map((event) => ({ ...event, body: encode(event.body) })));

interface Way {
  text: string;
  values: (events: Event[]) => unknown[];
}

const captures: Record<string, Way> = {
  'one jsonb, body base64': {
    text: rowsFrom('jsonb', `decode(body, 'base64')`),
    values: (events) => [withBody(events, (body) => body.toString('base64'))],
  },
  'one json, body base64': {
    text: rowsFrom('json', `decode(body, 'base64')`),
    values: (events) => [withBody(events, (body) => body.toString('base64'))],
  },
  'one json, body hex': {
    text: insert(`${names} FROM json_to_recordset($1::json) AS r(${typed('bytea')})`),
    values: (events) => [withBody(events, (body) => `\\x${body.toString('hex')}`)],
  },
  'json and bytea[]': {
    text: insert(`${names} FROM ROWS FROM (json_to_recordset($1::json) AS (${without('body', definitions)}), unnest($2::bytea[]))
      AS r(${without('body', names)}, body)`),
    values: (events) => [withBody(events, () => undefined), events.map(({ body }) => body)],
  },
  'json and one binary bytea, sliced': {
    text: insert(`${selected('substring($2::bytea FROM body_at FOR body_length)')}
      FROM json_to_recordset($1::json) AS r(${without('body', definitions)}, body_at int, body_length int)`),
    values: (events) => {
      let at = 1;
      const rows = events.map(({ body, ...event }) => {
        at += body.length;
        return { ...event, body_at: at - body.length, body_length: body.length };
      });
      return [JSON.stringify(rows), Buffer.concat(events.map(({ body }) => body))];
    },
  },
  'unnest of an array per column': {
    text: insert(
      `${names} FROM unnest(${typed('bytea').map((column, n) => `$${n + 1}::${column.split(' ')[1]}[]`)}) AS r(${names})`,
    ),
    values: (events) =>
      names.map((name) => events.map((event) => asArrayElement((event as Record<string, unknown>)[name]))),
  },
};

/** An object inside an array parameter becomes JSON by itself; undefined must become null. */
const asArrayElement = (value: unknown) => value ?? null;

await withDatabase(async (connect) => {
  const client = await connect(layout.schema);
  await createLayout(client, layout);
  console.log('| what | way | rate x | client CPU us/row | rows/s |\n|---|---|---|---|---|');

  for (const size of ['payload 200 B', '1 kB + stack 1.5 kB', '10 kB'] as Size[]) {
    const events = eventsOf(size);
    const run =
      (name: string, { text, values }: Way) =>
      async () => {
        await empty(client, layout);
        return time(client, async () => {
          for (let at = 0; at < events.length; at += 100)
            await client.query({ name: `capture ${name}`, text, values: values(events.slice(at, at + 100)) });
        });
      };
    await compare(
      rounds,
      `capture 100, ${size}`,
      Object.fromEntries(Object.entries(captures).map(([name, way]) => [name, run(name, way)])),
      events.length,
    );
  }

  await client.query(`DROP SCHEMA ${layout.schema} CASCADE`);
});
