import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { readIfExists } from './read-if-exists.ts';

/** Returns whether a process with this id runs, even one that this user may not signal. */
export function isAlive(pid: number): boolean {
  return isListed(pid) && readStatus(pid, 'State')?.startsWith('Z') !== true;
}

/** Returns whether the process table has this id. An ended process stays listed until its parent reaps it. */
export function isListed(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Returns the command line of a process, or '' if it is unknown. */
export function readCommand(pid: number): string {
  return readIfExists(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? askPs('command', pid);
}

/** Returns the parent of a process, or undefined if it is unknown. */
export function readParent(pid: number): number | undefined {
  return Number(readStatus(pid, 'PPid') ?? askPs('ppid', pid)) || undefined;
}

/** Waits until a condition no longer holds. Returns false if it still holds after `timeoutMs`. */
export async function waitWhile(condition: () => boolean, timeoutMs: number): Promise<boolean> {
  const endsAt = Date.now() + timeoutMs;
  while (condition()) {
    if (Date.now() > endsAt) return false;
    await delay(50);
  }
  return true;
}

function readStatus(pid: number, field: 'State' | 'PPid'): string | undefined {
  const status = readIfExists(`/proc/${pid}/status`) ?? '';
  return new RegExp(String.raw`^${field}:\s*(.*)$`, 'm').exec(status)?.[1];
}

/** For systems without /proc, such as macOS. */
function askPs(what: 'command' | 'ppid', pid: number): string {
  try {
    return execFileSync('ps', ['-o', `${what}=`, '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '';
  }
}
