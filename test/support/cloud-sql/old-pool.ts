// A program for a process of its own: the pool of an instance of Cloud SQL, before and after three quarters
// of an hour in which no timer ran. Prints the processes of PostgreSQL that answered.
import { mock } from 'node:test';
import { openDatabase } from '../../../shared/database/database.ts';
import { readConfig } from '../../../shared/environment/config.ts';

const db = openDatabase(readConfig(process.env).database, 'test');
const ask = async () =>
  (await db.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })).rows[0]?.pid;
const pids = [await ask(), await ask()];
mock.timers.enable({ apis: ['Date'], now: Date.now() + 46 * 60_000 });
pids.push(...(await Promise.all([ask(), ask()])));
console.log(JSON.stringify(pids));
await db.close();
