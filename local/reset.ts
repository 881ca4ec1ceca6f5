import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, DeadLetterError } from '../shared/errors.ts';
import { findCluster, findRunning } from './database/data-folder.ts';
import { installation, LocalServiceError } from './installation.ts';
import { readSettings } from './settings.ts';

// `npm run reset`: the next start begins with an empty embedded database.
try {
  console.log(await deleteData());
} catch (error) {
  console.error(error instanceof DeadLetterError ? error.message : error);
  process.exitCode = 1;
}

/** Deletes the cluster alone: saved URLs stay valid. Returns what was done. Throws a DeadLetterError. */
async function deleteData(): Promise<string> {
  const { databaseUrl, dataFolder } = readSettings(process.env);
  if (databaseUrl !== undefined) {
    const remedy = `Unset it: ${installation.reset} deletes the embedded database, and no other.`;
    throw new ConfigError([{ field: 'DATABASE_URL', value: '(not shown)', remedy }]);
  }
  if (await findRunning(dataFolder)) {
    throw new LocalServiceError(
      `A Dead Letter Office runs on ${dataFolder}. Nothing was deleted; stop it first.`,
    );
  }
  const cluster = findCluster(dataFolder);
  if (!existsSync(join(cluster, 'PG_VERSION'))) return `Nothing to delete: ${dataFolder} has no database.`;
  rmSync(cluster, { recursive: true });
  return `Deleted ${cluster}: the next ${installation.start} begins with an empty database.`;
}
