import { openContinuation } from './continuation.ts';
import type { Counts } from './database/counts.ts';
import { lockFolder } from './database/lock.ts';
import { type LocalDatabase, openDatabase } from './database/open-database.ts';
import { type DemoTarget, openDemoTarget, openShop } from './demo/demo.ts';
import type { Ending } from './ending.ts';
import { composeEnvironment } from './environment.ts';
import { functionNames, startFunction } from './functions.ts';
import { serve } from './gateway/gateway.ts';
import { type Listening, listenForPeople } from './gateway/listen.ts';
import type { Opening } from './opening.ts';
import { listMissing, type Parts, takeLastCounts } from './parts.ts';
import { waitUntilReady } from './processes/wait-until-ready.ts';
import { makeNotedRunFolder, makeRunFolder, removeRunFolder } from './run-folder.ts';
import { requestTick, startSchedule } from './schedule.ts';
import type { Settings } from './settings.ts';
import { watchActivity } from './terminal/activity.ts';
import { startBulletin } from './terminal/bulletin.ts';
import { describeOffice } from './terminal/header.ts';
import { describeCounts } from './terminal/summary.ts';
import type { Speaker, Terminal } from './terminal/terminal.ts';

/** Requests under way get this long when the office closes. */
const drainMs = 4000;
/** So long after opening the first failure is waited for, before hints are given without one. */
const hintsAfterMs = 30_000;

/** Opens the office, runs it until a person ends it, and closes it. Throws what it cannot go on with. */
export async function runOffice(settings: Settings, terminal: Terminal, ending: Ending): Promise<void> {
  const closing = new AsyncDisposableStack();
  const activity = watchActivity(terminal);
  const say = (speaker: Speaker) => (text: string) => {
    activity.flush();
    terminal.say(speaker, text);
  };
  const parts: Parts = { isMigrated: false, functions: [] };
  try {
    await open({ settings, terminal, activity, say, ending, closing }, parts);
    await ending.wait();
  } catch (error) {
    if (!ending.isAskedFor()) throw error;
  } finally {
    await closing.disposeAsync();
  }
  say('office')(describeEnd(parts.lastCounts));
}

function describeEnd(counts: Counts | undefined): string {
  if (!counts) return 'closed';
  const leased = counts.PROCESSING ? '\nwhat was being delivered is free again when its lease ends' : '';
  return `closed: ${describeCounts(counts, 0)}${leased}`;
}

/** The cheapest thing that can go wrong comes first; what people use comes last, when all below it is ready. */
async function open(opening: Opening, parts: Parts): Promise<void> {
  const { settings, terminal, closing, say } = opening;
  say('office')('opening');
  if (settings.databaseUrl === undefined) closing.defer(lockFolder(settings.dataFolder));
  const gateway = await openGateway(opening, parts);
  const database = await openDatabase(opening);
  Object.assign(parts, { pool: database.pool, isMigrated: true });
  const target = settings.isDemo ? await openTarget(opening) : undefined;
  const continuation = await openContinuation(settings, `http://127.0.0.1:${gateway.port}/retry`);
  closing.defer(continuation.close);
  await openFunctions(opening, parts, {
    databaseUrl: database.url,
    demoRoutes: target?.routes ?? [],
    continuation: continuation.env,
  });
  closing.defer(() => takeLastCounts(parts));
  closing.defer(() => gateway.close(drainMs));
  const url = `http://localhost:${gateway.port}`;
  terminal.printBlock(
    describeOffice(settings, { url, databaseName: database.name, dataFolder: database.dataFolder }),
  );
  openForBusiness(opening, { url, database, target, port: gateway.port });
}

/** Opened first, for its port may be taken, and answering from then on; closed at once if the opening fails. */
async function openGateway({ settings, closing }: Opening, parts: Parts): Promise<Listening> {
  const office = {
    names: functionNames,
    find: (name: string) => parts.functions.find((each) => each.name === name),
    listMissing: () => listMissing(parts),
  };
  const gateway = await listenForPeople(settings.port, (request, response) =>
    serve(office, request, response),
  );
  closing.defer(() => gateway.close(0));
  return gateway;
}

async function openTarget({ say, closing }: Opening): Promise<DemoTarget> {
  const target = await openDemoTarget(say('shop'));
  closing.defer(target.close);
  return target;
}

async function openFunctions(
  { settings, activity, say, ending, closing }: Opening,
  parts: Parts,
  given: Omit<Parameters<typeof composeEnvironment>[1], 'runFolder'>,
): Promise<void> {
  const isOurs = settings.databaseUrl === undefined;
  const folder = isOurs ? makeNotedRunFolder(settings.dataFolder) : makeRunFolder();
  closing.defer(() => removeRunFolder(folder));
  const env = composeEnvironment(settings, { ...given, runFolder: folder });
  const watch = { say: say('office'), fail: ending.fail };
  parts.functions = functionNames.map((name) =>
    startFunction(name, { env, folder, watch, readLine: activity.read }),
  );
  closing.defer(async () => {
    await Promise.all(parts.functions.map(({ close }) => close()));
  });
  await waitUntilReady(parts.functions, ending.signal);
}

type Premises = {
  readonly url: string;
  readonly port: number;
  readonly database: LocalDatabase;
  readonly target: DemoTarget | undefined;
};

/** Starts what makes things happen: the schedule, the shop, and the bulletin about both. */
function openForBusiness({ settings, terminal, activity, say, closing }: Opening, premises: Premises): void {
  const { url, port, database, target } = premises;
  closing.defer(startSchedule(settings.retryEverySeconds, () => requestTick(port)));
  if (target) closing.defer(openShop(target, `http://127.0.0.1:${port}/capture`, say('shop')).close);
  const bulletin = {
    pool: database.pool,
    hints: { url, databaseAddress: database.shellAddress },
    patienceMs: target ? hintsAfterMs : 0,
    countUnrouted: activity.countUnrouted,
    print: terminal.printBlock,
    say: say('office'),
  };
  closing.defer(startBulletin(bulletin));
}
