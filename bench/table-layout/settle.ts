// Prints a markdown table: how to pass outcomes to a settle statement, and what an idle trigger costs the drain.
//   node bench/table-layout/settle.ts [rounds]
import { randomUUID } from 'node:crypto';
import { compare, time } from './compare.ts';
import { withDatabase } from './database.ts';
import { eventsOf } from './events.ts';
import { layouts } from './layouts.ts';
import { outcomes, settle } from './statements.ts';
import { captureAll, createLayout, drain, empty } from './workload.ts';

const rounds = Number(process.argv[2] ?? 5);
const layout = layouts.find(({ name }) => name === 'L3 ff 50, EXTENDED') as (typeof layouts)[number];

await withDatabase(async (connect) => {
  const client = await connect(layout.schema);
  await createLayout(client, layout);
  console.log('| what | way | rate x | client CPU us/row | rows/s |\n|---|---|---|---|---|');

  const events = eventsOf('payload 200 B');
  const outcomeValues: Record<string, (rows: Record<string, string>[]) => unknown[]> = {
    'unnest of 5 arrays': (rows) =>
      ['id', 'lease_token', 'status', 'retry_after', 'error_reason'].map((name) =>
        rows.map((row) => row[name] ?? null),
      ),
  };
  const settleBy = (name: string, from: string) => async () => {
    await empty(client, layout);
    await captureAll(client, layout, events, 500);
    await client.query('ANALYZE');
    const lease_token = randomUUID();
    const { rows } = await client.query(
      `UPDATE dlq_events SET status = 'PROCESSING', lease_token = $1, lease_expires_at = now() RETURNING id`,
      [lease_token],
    );
    const done = rows.map(({ id }, n) =>
      n % 5 === 0
        ? { id, lease_token, status: 'PENDING', retry_after: '2099-01-01', error_reason: 'still 503' }
        : { id, lease_token, status: 'SUCCEEDED' },
    );
    const encode = outcomeValues[name] ?? ((batch: unknown) => [JSON.stringify(batch)]);
    return time(client, async () => {
      for (let at = 0; at < done.length; at += 500)
        await client.query({
          name: `settle ${name}`,
          text: settle(layout, false, from),
          values: encode(done.slice(at, at + 500)),
        });
    });
  };
  await compare(
    rounds,
    'settle 500',
    Object.fromEntries(Object.entries(outcomes).map(([name, from]) => [name, settleBy(name, from)])),
    events.length,
  );

  await client.query(`CREATE FUNCTION noticed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END'`);
  const triggers = {
    'no trigger': '',
    'BEFORE UPDATE trigger WHEN never true': `CREATE TRIGGER t BEFORE UPDATE ON dlq_events FOR EACH ROW
      WHEN (old.status = 'SUCCEEDED' AND new.status = 'PENDING') EXECUTE FUNCTION noticed()`,
    'BEFORE UPDATE OF event_type trigger (column not set)': `CREATE TRIGGER t BEFORE UPDATE OF event_type ON dlq_events FOR EACH ROW
      EXECUTE FUNCTION noticed()`,
    'BEFORE UPDATE trigger that runs each time':
      'CREATE TRIGGER t BEFORE UPDATE ON dlq_events FOR EACH ROW EXECUTE FUNCTION noticed()',
    'AFTER UPDATE trigger WHEN never true': `CREATE TRIGGER t AFTER UPDATE ON dlq_events FOR EACH ROW
      WHEN (old.status = 'SUCCEEDED' AND new.status = 'PENDING') EXECUTE FUNCTION noticed()`,
  };
  const drainWith = (trigger: string) => async () => {
    await empty(client, layout);
    await captureAll(client, layout, events, 500);
    await client.query(`DROP TRIGGER IF EXISTS t ON dlq_events; ${trigger}; ANALYZE dlq_events`);
    return time(client, () => drain(client, layout, false));
  };
  await compare(
    rounds,
    'drain',
    Object.fromEntries(Object.entries(triggers).map(([name, trigger]) => [name, drainWith(trigger)])),
    events.length,
  );
  await client.query(`DROP SCHEMA ${layout.schema} CASCADE`);
});
