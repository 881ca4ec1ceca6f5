import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { readCommand } from '../../local/processes/process-table.ts';
import { listDescendants, type OfficeProcess, waitForAddress } from './office-process.ts';

/** Waits until an office is open; its address and all processes below it. */
export async function waitForOffice(office: OfficeProcess): Promise<{ url: string; family: number[] }> {
  return { url: await waitForAddress(office), family: listDescendants(office.pid) };
}

/** Reports the same failure each time; whether it was new. */
export async function report(url: string): Promise<unknown> {
  const body = JSON.stringify({ eventType: 'order.placed', payload: { orderId: 'A-1' } });
  const answer = await fetch(`${url}/capture`, { method: 'POST', body });
  const { events } = (await answer.json()) as { events: { isNew: boolean }[] };
  return events[0]?.isNew;
}

export async function close({ child, ended }: OfficeProcess): Promise<void> {
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

export function findSockets(family: readonly number[]): string {
  return dirname(readCommand(findProcess(family, '--target capture')).split('--port ')[1] ?? '');
}
