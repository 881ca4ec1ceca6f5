import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether a process runs under this id, be it ours to signal or not. */
export function isAlive(pid: number): boolean {
  return isListed(pid) && readStatus(pid, 'State')?.startsWith('Z') !== true;
}

/** Whether the system knows this id, which may be that of a process that has ended and was not reaped yet. */
function isListed(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The command line of a process, or '' if it cannot be told. */
export function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ask('command', pid);
  }
}

/** The parent of a process, or undefined if it cannot be told. */
export function readParent(pid: number): number | undefined {
  return Number(readStatus(pid, 'PPid') ?? ask('ppid', pid)) || undefined;
}

/** Waits until a process has ended; false if it still runs after that time. */
export function waitUntilGone(pid: number, withinMs: number): Promise<boolean> {
  return waitWhile(() => isAlive(pid), withinMs);
}

/** Waits until the system knows nothing of a process any more. */
export function waitUntilForgotten(pid: number, withinMs: number): Promise<boolean> {
  return waitWhile(() => isListed(pid), withinMs);
}

async function waitWhile(condition: () => boolean, withinMs: number): Promise<boolean> {
  const endsAt = Date.now() + withinMs;
  while (condition()) {
    if (Date.now() > endsAt) return false;
    await delay(50);
  }
  return true;
}

function readStatus(pid: number, field: 'State' | 'PPid'): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return new RegExp(String.raw`^${field}:\s*(.*)$`, 'm').exec(status)?.[1];
  } catch {
    return undefined;
  }
}

/** For systems without /proc, such as macOS. */
function ask(what: 'command' | 'ppid', pid: number): string {
  try {
    return execFileSync('ps', ['-o', `${what}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '';
  }
}
