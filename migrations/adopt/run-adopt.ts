import { adopt } from './adopt.ts';

/** `npm run adopt`: adopts the table, prints the result, and returns the exit code. */
async function runCommand(databaseUrl: string | undefined): Promise<number> {
  if (!databaseUrl) {
    console.error(
      'Set DATABASE_URL to the database with the table: postgres://user:password@host:5432/database',
    );
    return 1;
  }
  try {
    const done = await adopt(databaseUrl, (events) => {
      if (events % 100_000 === 0) console.log(`${events.toLocaleString('en')} rows moved ...`);
    });
    if (done.kind === 'nothing to do') console.log(`Nothing to adopt. ${done.why}`);
    if (done.kind === 'refused') {
      console.error(['The table was not adopted. Resolve first:', ...done.exclusions].join('\n  '));
      return 1;
    }
    if (done.kind === 'adopted') {
      const rows = `${done.events.toLocaleString('en')} ${done.events === 1 ? 'row' : 'rows'}`;
      console.log(`Adopted dlq_events: ${rows} moved, with their ids, grants and all columns.`);
    }
    return 0;
  } catch (error) {
    console.error(`The adoption stopped. No row is lost: run npm run adopt again to continue. ${error}`);
    return 1;
  }
}

process.exitCode = await runCommand(process.env.DATABASE_URL);
