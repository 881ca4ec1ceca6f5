import { type Config, readConfig } from '../shared/config/config.ts';
import { openDatabase } from '../shared/database/database.ts';
import { ConfigError } from '../shared/errors.ts';

/** The settings of this process, read once from its environment. Invalid settings end the process. */
export const config = readConfigOrExit();

/** The database of this process. It connects with the first query. */
export const db = openDatabase(
  config.database,
  process.env.K_SERVICE ?? process.env.FUNCTION_TARGET ?? 'dead-letter-office',
);

/** A revision with invalid settings must not start: Cloud Run then keeps the last good one serving. */
function readConfigOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
