// A program for a process of its own: one query on an instance of Cloud SQL. Prints its result, or the code
// and the cause of its error. CONNECT_MS is the time limit of the connection.

import { openDatabase } from '../../../shared/database/database.ts';
import { readConfig } from '../../../shared/environment/config.ts';
import { DatabaseUnavailableError } from '../../../shared/errors.ts';

const timeouts = { statementMs: 1000, lockMs: 1000, connectMs: Number(process.env.CONNECT_MS) };
const db = openDatabase(readConfig(process.env).database, 'test', timeouts);
try {
  const { rows } = await db.query({ text: 'select 1 as one' });
  console.log(JSON.stringify(rows));
} catch (error) {
  if (!(error instanceof DatabaseUnavailableError)) throw error;
  console.log(JSON.stringify({ code: error.code, cause: String(error.cause) }));
}
process.exit(0);
