import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** Linux reports CPU time in hundredths of a second, independent of the kernel's clock. */
const ticksPerSecond = 100;

/** CPU seconds that a process has used; `children` adds those of its exited children. */
export function readCpuSeconds(pid: number, { children = false } = {}): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program name, in parentheses, may contain spaces and parentheses.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, userOfChildren = 0, systemOfChildren = 0] = fields.slice(11, 15);
  const own = user + system;
  return (children ? own + userOfChildren + systemOfChildren : own) / ticksPerSecond;
}

/** The process id of the postmaster, the parent of all processes of PostgreSQL on this machine. */
export async function findPostmaster(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = readParent(rows[0]?.pid ?? 0);
  await client.end();
  return postmaster;
}

/** CPU seconds of PostgreSQL: open and closed connections, and background processes. */
export function readPostgresCpuSeconds(postmaster: number): number {
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readParent(pid) === postmaster);
  const own = readCpuSeconds(postmaster, { children: true });
  return backends.reduce((sum, pid) => sum + readUnlessEnded(pid), own);
}

/** A background process may end between the list of processes and this. Its parent then has its time. */
function readUnlessEnded(pid: number): number {
  try {
    return readCpuSeconds(pid);
  } catch {
    return 0;
  }
}

function readParent(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
