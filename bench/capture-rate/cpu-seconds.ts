import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** Linux counts a process's time in hundredths of a second, whatever the kernel's own clock. */
const ticksPerSecond = 100;

/** Seconds of CPU that a process used so far, itself and, with `children`, those that it waited for. */
export function readCpuSeconds(pid: number, { children = false } = {}): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in brackets, may hold anything.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, userOfChildren = 0, systemOfChildren = 0] = fields.slice(11, 15);
  const own = user + system;
  return (children ? own + userOfChildren + systemOfChildren : own) / ticksPerSecond;
}

/** The process of PostgreSQL that has all others for children, where the server runs on this machine. */
export async function findPostmaster(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = readParent(rows[0]?.pid ?? 0);
  await client.end();
  return postmaster;
}

/** Seconds of CPU of a whole PostgreSQL: connections, those that have ended, and what works in the background. */
export function readPostgresCpuSeconds(postmaster: number): number {
  const servants = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readParent(pid) === postmaster);
  const own = readCpuSeconds(postmaster, { children: true });
  return servants.reduce((sum, pid) => sum + readCpuSeconds(pid), own);
}

function readParent(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
