import { setTimeout as pause } from 'node:timers/promises';
import { serveFunction } from '../../test/support/framework.ts';

export type Sql = (text: string) => Promise<Record<string, unknown>[]>;

/** The lease of the worker that is stopped, in seconds. */
export const leaseSeconds = 15;

/**
 * Stops a worker with SIGSTOP while it holds events, for two seconds longer than its lease. `redirect` sends all ticks to
 * another worker, or, without an argument, to the usual one. Returns the end of the fault, which resolves to the
 * milliseconds until the last event that the worker held was delivered by another one.
 */
export async function stopWorker(
  sql: Sql,
  env: Record<string, string>,
  redirect: (url?: string) => void,
): Promise<() => Promise<number>> {
  const worker = await serveFunction('retry', { ...env, LEASE_SECONDS: `${leaseSeconds}` });
  const listHeld = () => sql(`select id from dlq_events where status = 'PROCESSING'`);
  const stopWhileHolding = async () => {
    for (;;) {
      while ((await listHeld()).length === 0) await pause(1);
      worker.child.kill('SIGSTOP');
      // A statement that was under way may still settle.
      await pause(100);
      const held = await listHeld();
      if (held.length > 0) return held;
      worker.child.kill('SIGCONT');
    }
  };
  // A tick of the usual worker would hold events, too.
  redirect(worker.url);
  await pause(2000);
  const ids = (await stopWhileHolding()).map(({ id }) => id);
  const stoppedAt = Date.now();
  redirect();
  return async () => {
    const open = `select from dlq_events where id in (${ids}) and status <> 'SUCCEEDED'`;
    while ((await sql(open)).length > 0) await pause(10);
    const heldMs = Date.now() - stoppedAt;
    await pause(Math.max(0, stoppedAt + (leaseSeconds + 2) * 1000 - Date.now()));
    worker.child.kill('SIGCONT');
    await pause(1000);
    await worker.stop();
    return heldMs;
  };
}
