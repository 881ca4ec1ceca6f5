// One worker of a run, in a separate process that can be killed:  DATABASE_URL=... node worker.ts TARGET RUN SECONDS
import * as v from 'valibot';
import { openDatabase } from '../../shared/database/database.ts';
import { RoutesSchema } from '../../shared/delivery/routes.ts';
import { workOnReplay } from '../../shared/replay/work-on-replay.ts';
import { retry } from './settings.ts';

const [target = '', runId = '', seconds = '600'] = process.argv.slice(2);
const db = openDatabase({ kind: 'url', url: process.env.DATABASE_URL ?? '', poolMax: 2 }, 'bench-worker');
const routes = v.parse(RoutesSchema, [
  { target: { kind: 'http', url: target }, policy: { concurrency: 50 } },
]);
const stopped = await workOnReplay({ db, routes, retry }, runId, {
  endsAt: Date.now() + Number(seconds) * 1000,
});
console.log(stopped);
await db.close();
process.exit();
