// The minimum of a worker on this schema: one claim, which returns the messages, one settlement and one record of attempts for
// 500 events, each as short as SQL allows, with the requests of bare-client.ts. It keeps no promise of the product: no routes, order, breakers or retries.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Pool } from 'undici';

const [databaseUrl = '', url = '', count = '0'] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const http = new Pool(origin, { connections: 10 });
// As the sessions of the product: the trigger that completes rows of plain SQL has nothing to do.
const options = '-c dlo.writes_complete_rows=on';
const db = new pg.Pool({ connectionString: databaseUrl, max: 3, options });

type Claimed = { readonly id: string; readonly body: Buffer; readonly redelivery_token: string };

const query = async <Row>(name: string, text: string, values: readonly unknown[]) =>
  (await db.query({ name, text, values: [...values] })).rows as Row[];

const claim = (token: string) =>
  query<Claimed>(
    'claim',
    `update dlq_events set status = 'PROCESSING', lease_token = $1, lease_expires_at = now() + interval '5 minutes', updated_at = now(),
       delivery_count = delivery_count + 1
     where id = any (array(
       select id from dlq_events
       where is_open and retry_after <= now() and status <> 'PROCESSING'
       order by lane, priority, retry_after, id
       limit 500
       for no key update skip locked
     ))
     returning id, body, redelivery_token`,
    [token],
  );

async function settle(token: string, events: readonly Claimed[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await query(
    'settle',
    `update dlq_events
     set status = 'SUCCEEDED', processed_at = now(), lease_token = null, lease_expires_at = null, updated_at = now()
     where id = any ($1::bigint[]) and lease_token = $2`,
    [ids, token],
  );
  await query(
    'record',
    `insert into dlq_attempts (event_id, number, outcome, target, started_at, duration_ms, response_status)
     select id, 1, 'delivered', $2, now(), 3, 200 from unnest($1::bigint[]) as id`,
    [ids, url],
  );
}

async function send({ id, body, redelivery_token }: Claimed): Promise<void> {
  const headers = [
    'content-type',
    'application/json',
    'dlo-event-id',
    `${id}.${redelivery_token}`,
    'dlo-attempt',
    '1',
  ];
  const answer = await http.request({ path: pathname, method: 'POST', headers, body });
  if ((await answer.body.text()) !== 'ok') throw new Error(`HTTP ${answer.statusCode}`);
}

/** Claims the next events while these are sent, and settles them while those are. */
async function work(): Promise<number> {
  let delivered = 0;
  let settled: Promise<void> = Promise.resolve();
  const next = () => {
    const token = randomUUID();
    return claim(token).then((events) => ({ token, events }));
  };
  for (let claimed = await next(); claimed.events.length > 0; ) {
    const { token, events } = claimed;
    const following = next();
    await Promise.all(events.map(send));
    await settled;
    settled = settle(token, events);
    delivered += events.length;
    claimed = await following;
  }
  await settled;
  return delivered;
}

const startedAt = performance.now();
const delivered = await work();
const seconds = (performance.now() - startedAt) / 1000;
if (delivered !== Number(count)) throw new Error(`${delivered} of ${count} events`);
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6 }));
await Promise.all([http.close(), db.end()]);
