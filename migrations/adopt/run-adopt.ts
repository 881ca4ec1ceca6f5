import { adopt } from './adopt.ts';

/** What `npm run adopt` does: says what it found and did, and returns the exit code. */
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
    if (done.kind === 'nothing to do') console.log(`Nothing to do. ${done.why}`);
    if (done.kind === 'refused') {
      console.error(['The table was not changed:', ...done.obstacles].join('\n  '));
      return 1;
    }
    if (done.kind === 'adopted') {
      const rows = `${done.events.toLocaleString('en')} ${done.events === 1 ? 'row' : 'rows'}`;
      console.log(`Adopted dlq_events: ${rows} moved, with ids, rights and every column that was there.`);
    }
    return 0;
  } catch (error) {
    console.error(`Adopting stopped, and nothing is lost: start it again. ${error}`);
    return 1;
  }
}

process.exitCode = await runCommand(process.env.DATABASE_URL);
