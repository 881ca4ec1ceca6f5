import { findIllnesses, watchHealth } from '../functions/health.ts';
import { finish } from '../functions/shutdown.ts';
import { type Depths, sumDepths } from '../shared/counts/sum-depths.ts';
import type { Database } from '../shared/database/database.ts';
import { setLogSink } from '../shared/log.ts';
import { openDatabase } from './database/open-database.ts';
import { openDemoTarget, openShop } from './demo/demo.ts';
import { composeEnvironment, loadFunctions, redirectLogs } from './functions.ts';
import { listenOnPort } from './http/listen.ts';
import { routeRequests, type Service } from './http/route-requests.ts';
import { requestRetry, startSchedule } from './schedule.ts';
import type { Settings } from './settings.ts';
import type { Shutdown } from './shutdown.ts';
import { showActivity } from './terminal/activity.ts';
import { describeNextSteps, describeService } from './terminal/introduction.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Passed to each step of the startup. `resources` are released in reverse order. */
type Startup = {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly shutdown: Shutdown;
  readonly resources: AsyncDisposableStack;
};

/** Filled during the startup; `depths` during the shutdown, if the database answers. */
export type Running = Service & { depths?: Depths | undefined };

/** Starts everything in order: the port, which may be in use, comes first. Throws the first failure. */
export async function startService(startup: Startup, running: Running): Promise<void> {
  const { settings, terminal, shutdown, resources } = startup;
  const listening = await listenOnPort(settings.port, routeRequests(running));
  resources.defer(() => listening.close());
  const own = `http://127.0.0.1:${listening.port}`;
  const database = await openDatabase(settings, resources, shutdown.fail);
  shutdown.signal.throwIfAborted();
  const target = settings.isDemo ? await openDemoTarget((text) => terminal.say('shop', text)) : undefined;
  if (target) resources.defer(target.close);
  const show = showActivity(terminal);
  redirectLogs((name = 'retry', entry) => show(name, entry));
  const ask = (db: Database) => db.query({ text: 'select' });
  const { check } = watchHealth('the database does not answer', database.db, ask);
  running.checkHealth = () => findIllnesses(check);
  const routes = [...settings.routes, ...(target?.routes ?? [])];
  const started = { databaseUrl: database.url, routes, retryUrl: `${own}/retry` };
  running.call = await loadFunctions(composeEnvironment(process.env, started));
  resources.defer(async () => {
    [running.depths] = await sumDepths(database.db, {}).catch(() => []);
  });
  resources.defer(() => setLogSink(() => {}));
  resources.defer(async () => {
    await Promise.all(listening.servers.map(finish));
  });
  shutdown.signal.throwIfAborted();

  const url = `http://localhost:${listening.port}`;
  terminal.printBlock(describeService(settings, database, url));
  terminal.printBlock(describeNextSteps(url, database));
  resources.defer(startSchedule(settings.retryEverySeconds, () => requestRetry(`${own}/retry`)));
  if (target) resources.defer(openShop(target, `${own}/capture`));
}
