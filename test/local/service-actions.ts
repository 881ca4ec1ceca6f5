import assert from 'node:assert/strict';
import { listDescendants, readCommand } from './process-table.ts';
import { type ServiceProcess, waitForAddress } from './service-process.ts';

/** Waits until a service is ready. Returns its address and all processes below it. */
export async function waitForService(service: ServiceProcess): Promise<{ url: string; family: number[] }> {
  return { url: await waitForAddress(service), family: listDescendants(service.pid) };
}

/** Waits until a service has ended with exit code 1, and returns what it said. */
export async function waitForFailedStart(service: ServiceProcess): Promise<string> {
  const started = waitForAddress(service).then(() => assert.fail('The service started.'));
  assert.equal(await Promise.race([service.ended, started]), 1);
  return service.stderr();
}

/** Reports the same failure each time. Returns whether it was new. */
export async function report(url: string): Promise<unknown> {
  const body = JSON.stringify({ eventType: 'order.placed', payload: { orderId: 'A-1' }, error: 'timeout' });
  const answer = await fetch(`${url}/capture`, { method: 'POST', body });
  const { events } = (await answer.json()) as { events: { isNew: boolean }[] };
  return events[0]?.isNew;
}

export async function stop({ child, ended }: ServiceProcess): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
}

export function findProcess(pids: readonly number[], part: string): number {
  const found = pids.find(
    (pid) => readCommand(pid).includes(part) && !readCommand(pid).includes(`"${part.trim()}"`),
  );
  assert.ok(found, `a process with ${part}`);
  return found;
}
