import { findIllnesses, watchDatabase } from '../functions/health.ts';
import { beginShutdown } from '../functions/shutdown.ts';
import { setLogSink } from '../shared/log.ts';
import { type Counts, countEvents } from './database/counts.ts';
import { openDatabase } from './database/open-database.ts';
import { openDemoTarget, openShop } from './demo/demo.ts';
import { composeEnvironment } from './environment.ts';
import { loadFunctions, redirectLogs } from './functions.ts';
import { listenOnPort } from './http/listen.ts';
import { routeRequests, type Service } from './http/route-requests.ts';
import { requestRetry } from './request-retry.ts';
import { startSchedule } from './schedule.ts';
import type { Settings } from './settings.ts';
import type { Shutdown } from './shutdown.ts';
import type { Activity } from './terminal/activity.ts';
import { describeNextSteps, describeService } from './terminal/introduction.ts';
import type { Speaker, Terminal } from './terminal/terminal.ts';
import { openWorkerRequests } from './worker-requests.ts';

/** Passed to each step of the startup. `resources` are released in reverse order. */
export type Startup = {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly activity: Activity;
  readonly say: (speaker: Speaker) => (text: string) => void;
  readonly shutdown: Shutdown;
  readonly resources: AsyncDisposableStack;
};

/** Filled during the startup; `lastCounts` during the shutdown, if the database answers. */
export type Running = Service & { lastCounts?: Counts | undefined };

/** How long open requests may take during a shutdown, and after which time their deliveries are given up. */
const drainMs = 4000;
const endingMs = 2500;

/** Starts everything in order: the port, which may be in use, comes first. Throws the first failure. */
export async function startService(startup: Startup, running: Running): Promise<void> {
  const { settings, terminal, activity, say, shutdown, resources } = startup;
  const { port, close } = await listenOnPort(settings.port, routeRequests(running));
  resources.defer(() => close(0));
  const database = await openDatabase(settings, resources, shutdown.fail);
  shutdown.signal.throwIfAborted();
  const target = settings.isDemo ? await openDemoTarget(say('shop')) : undefined;
  if (target) resources.defer(target.close);
  const retryUrl = `http://127.0.0.1:${port}/retry`;
  const workerRequests = await openWorkerRequests(settings, retryUrl);
  resources.defer(workerRequests.close);
  redirectLogs((name = 'retry', entry) => activity.read(name, entry));
  const checkDatabase = watchDatabase(database.db);
  running.checkHealth = async () => {
    const found = await Promise.all([checkDatabase(), findIllnesses()]);
    return [...new Set(found.flat().filter((reason) => reason !== undefined))];
  };
  running.call = await loadFunctions(
    composeEnvironment(process.env, {
      databaseUrl: database.url,
      routes: [...settings.routes, ...(target?.routes ?? [])],
      workerRequests: workerRequests.env,
    }),
  );
  resources.defer(async () => {
    running.lastCounts = await countEvents(database.db).catch(() => undefined);
  });
  resources.defer(() => setLogSink(() => {}));
  resources.defer(() => {
    beginShutdown(endingMs);
    return close(drainMs);
  });
  shutdown.signal.throwIfAborted();

  const url = `http://localhost:${port}`;
  terminal.printBlock(describeService(settings, database, url));
  terminal.printBlock(describeNextSteps(url, database));
  resources.defer(startSchedule(settings.retryEverySeconds, () => requestRetry(retryUrl)));
  if (target) resources.defer(openShop(target, `http://127.0.0.1:${port}/capture`));
}
