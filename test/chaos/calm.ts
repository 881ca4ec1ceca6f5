import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from './deployment.ts';
import { orderedType } from './parcels.ts';

/**
 * After the last fault, all events are closed within seconds: leases, breakers and backoffs are short. The end
 * of the wait, for a busy machine, is generous; what was measured is printed.
 */
const maxCalmMs = 10 * 60_000;

/** Sends a request to the API until it is answered, as an operator would. */
async function ask(deployment: Deployment, path: string, body: object): Promise<void> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await deployment
    .of('replay')[0]
    ?.request(path, init)
    .catch(() => undefined);
  if (response === undefined || response.status >= 500) await sleep(500);
}

/**
 * Lets everything be closed: the target accepts, operators cancel replays, release targets and reopen what
 * blocks a key. Returns the time until nothing was open, in ms; a time beyond the limit if something still
 * is.
 */
export async function calmDown(deployment: Deployment): Promise<number> {
  const { server, target } = deployment;
  const beganAt = Date.now();
  target.isCalm = true;
  const isOpen = async () => (await server.sql('select from dlq_events where is_open limit 1')).length > 0;
  while (Date.now() - beganAt < maxCalmMs) {
    const runs = await server.sql<{ id: string }>(
      `select id from dlq_runs where trigger = 'replay' and ended_at is null`,
    );
    for (const { id } of runs) await ask(deployment, `/runs/${id}/cancel`, {});
    const held = await server.sql<{ target: string }>(
      'select target from dlq_breakers where held_at is not null',
    );
    for (const each of held)
      await ask(deployment, `/targets/${encodeURIComponent(each.target)}/release`, { reason: 'calm' });
    const blocking = `select from dlq_events where status = 'FAILED_PERMANENTLY' and event_type = $1`;
    const isBlocked = (await server.sql(blocking, [orderedType])).length > 0;
    const filter = { eventType: orderedType, status: 'FAILED_PERMANENTLY' };
    if (isBlocked) await ask(deployment, '/events/reopen', { filter, reason: 'calm' });
    if (runs.length === 0 && !isBlocked && !(await isOpen())) break;
    await sleep(200);
  }
  return Date.now() - beganAt;
}

/**
 * Watches how long leases stay expired without another claim, in s, until it is stopped. Returns the longest
 * time.
 */
export function watchLeases({ server }: Deployment): () => number {
  let longest = 0;
  const text = `select coalesce(max(extract(epoch from now() - lease_expires_at)), 0)::float as seconds
    from dlq_events where status = 'PROCESSING'`;
  const look = () =>
    server.sql<{ seconds: number }>(text).then(
      ([row]) => {
        longest = Math.max(longest, row?.seconds ?? 0);
      },
      () => {},
    );
  const timer = setInterval(look, 500);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
