import { openDatabase } from '../shared/database/database.ts';
import { type Config, readConfig } from '../shared/environment/config.ts';
import { ConfigError } from '../shared/errors.ts';
import { unlessSilent } from './health.ts';
import { findTarget } from './raw-requests.ts';
import { finishBeforeExit } from './shutdown.ts';

if (findTarget() !== undefined) finishBeforeExit();

/** The settings of this process, read once from its environment. Invalid settings end the process. */
export const config = readConfigOrExit();

/** The name of the function that this process serves; undefined where it serves all functions. */
const served = process.env.K_SERVICE ?? process.env.FUNCTION_TARGET;

/** The database of this process. It connects with the first query. */
export const db = openDatabase(config.database, served ?? 'dead-letter-office');

/** The same for operators, who wait for the answer: they learn within seconds that it answers nothing. */
export const operatorDb = unlessSilent(db, config.database.poolMax);

/** Connections of captures where one process serves all functions: no other work may leave them none. */
export const captureConnections = Math.min(config.database.poolMax, 4);

/**
 * The database of captures. A locked row delays others by a moment only; a capture that is not stored soon is
 * answered by 503: its sender may not wait. Deadlines of its statements are shorter than the timeout.
 */
export const captureDb = openDatabase(
  { ...config.database, poolMax: captureConnections },
  served ?? 'capture',
  { statementMs: 30_000, lockMs: 100, connectMs: 3000 },
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
