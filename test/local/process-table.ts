import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readIfExists } from '../../local/read-if-exists.ts';

/** Whether a process with this id runs. An ended process stays listed until its parent reaps it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readStatus(pid, 'State')?.startsWith('Z') !== true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Returns the command line of a process, or '' if it is unknown. */
export function readCommand(pid: number): string {
  return (
    readIfExists(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ') ?? askPs('-o', 'command=', '-p', `${pid}`)
  );
}

/** Returns all processes below a process. */
export function listDescendants(pid: number, parents = readParents()): number[] {
  const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...listDescendants(child, parents)]);
}

/** Returns the parent of each process. */
function readParents(): Map<number, number | undefined> {
  if (existsSync('/proc/self')) {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return new Map(pids.map((pid) => [Number(pid), Number(readStatus(Number(pid), 'PPid'))]));
  }
  const lines = askPs('-axo', 'pid=,ppid=').trim().split('\n');
  return new Map(lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]));
}

function readStatus(pid: number, field: 'State' | 'PPid'): string | undefined {
  const status = readIfExists(`/proc/${pid}/status`) ?? '';
  return new RegExp(String.raw`^${field}:\s*(.*)$`, 'm').exec(status)?.[1];
}

/** For systems without /proc, such as macOS. */
function askPs(...parameters: string[]): string {
  try {
    return execFileSync('ps', parameters, { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '';
  }
}
