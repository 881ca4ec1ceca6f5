import { type DatabaseEnvironment, readDatabaseLocation } from '../../shared/config/database-location.ts';
import { ConfigError } from '../../shared/errors.ts';
import { checkVersion } from '../check-database.ts';
import { type Begun, begin, cancel, finish, readBegun, withConnections } from './adopt.ts';
import { type Arguments, help, readArguments } from './arguments.ts';
import { describePlan, isAllowed } from './describe-plan.ts';
import { importTable } from './import-table.ts';
import type { Connections } from './lock-tables.ts';
import { type Mapping, noMapping, readMapping } from './mapping.ts';
import { makePlan, type Plan } from './plan.ts';

/** Prints one line. */
type Say = (line: string) => void;

/** Does what the flags of `npm run adopt` say, prints the result, and returns the exit code. Throws DeadLetterErrors and those of PostgreSQL. */
export async function runAdopt(env: DatabaseEnvironment, args: readonly string[], say: Say): Promise<number> {
  const flags = readArguments(args);
  if (flags.isHelp) {
    say(help);
    return 0;
  }
  const location = readDatabaseLocation(env);
  if (!location.ok) throw new ConfigError(location.problems);
  const mapping = flags.map === undefined ? noMapping : await readMapping(flags.map);
  return withConnections(location.value, flags.lockAttempts, async (connections) => {
    const { client } = connections;
    await checkVersion(client);
    if (flags.timeZone) await client.query(`select set_config('timezone', $1, false)`, [flags.timeZone]);
    if (flags.from !== undefined) return importTable(client, { ...flags, from: flags.from }, mapping, say);
    const begun = await readBegun(client);
    if (flags.isCancel) return runCancel(connections, begun, say);
    if (begun.length > 0) return runFinish(connections, begun, flags, say);
    return runPlan(connections, mapping, flags, say);
  });
}

async function runPlan(
  connections: Connections,
  mapping: Mapping,
  flags: Arguments,
  say: Say,
): Promise<number> {
  const plan = await makePlan(connections.client, mapping, flags.timeZone);
  const { elsewhere } = plan.server;
  if (!isAdoptable(plan, say)) return elsewhere.length > 0 ? 1 : 0;
  for (const line of describePlan(plan, flags.accepted)) say(line);
  if (!isAllowed(plan, flags.accepted)) {
    say('Nothing was changed.');
    return 1;
  }
  if (flags.isDryRun) {
    say('Nothing stands in the way. Nothing was changed.');
    return 0;
  }
  await begin(connections, plan);
  return runFinish(connections, await readBegun(connections.client), flags, say);
}

function isAdoptable({ tables, server }: Plan, say: Say): boolean {
  const table = tables.find((each) => each.table.name === 'dlq_events')?.table;
  if (table) {
    const isOurs = table.columns.some(({ name }) => name === 'event_key');
    if (isOurs) say('Nothing to adopt. dlq_events already is a table of this product.');
    return !isOurs;
  }
  for (const name of server.elsewhere) {
    say(
      `${name} is outside the schema public, where this product keeps its tables. If the search path of its consumers has public: ALTER TABLE ${name} SET SCHEMA public; otherwise run npm run migrate and import it: --from ${name}.`,
    );
  }
  if (server.elsewhere.length === 0) {
    say(
      'Nothing to adopt. The database has no table dlq_events: npm run migrate creates it, and --from TABLE then imports another one.',
    );
  }
  return false;
}

async function runFinish(
  connections: Connections,
  begun: Begun,
  { isDryRun }: Arguments,
  say: Say,
): Promise<number> {
  const names = begun.map(({ name }) => name).join(' and ');
  let rows = begun.reduce((sum, each) => sum + each.rows, 0);
  if (isDryRun) {
    say(
      `The adoption of ${names} was begun, and ${rows.toLocaleString('en')} rows are copied: npm run adopt continues. Nothing was changed.`,
    );
    return 0;
  }
  say(
    `Copying ${names}${rows > 0 ? ` from row ${rows.toLocaleString('en')} on` : ''}. Interrupted, the same command continues.`,
  );
  let reported = rows;
  await finish(
    connections,
    begun,
    (copied) => {
      rows += copied;
      if (rows - reported < 100_000) return;
      reported = rows;
      say(`${rows.toLocaleString('en')} rows copied ...`);
    },
    say,
  );
  say(
    `Adopted ${names}: ${rows.toLocaleString('en')} rows. The old tables are ${begun.map(({ name }) => `adopted_${name}`).join(' and ')}; nothing writes to them.`,
  );
  say('Restart clients that prepare statements with * (docs/adopt.md).');
  return 0;
}

async function runCancel(connections: Connections, begun: Begun, say: Say): Promise<number> {
  if (begun.length === 0) {
    say('Nothing to cancel: no adoption is unfinished.');
    return 0;
  }
  await cancel(connections, begun);
  say('Cancelled. The tables are as they were, and the objects of this product are removed.');
  return 0;
}
