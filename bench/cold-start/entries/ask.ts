import type { HttpFunction } from '@google-cloud/functions-framework';

/** The minimal function with a database. */
export const ask: HttpFunction = async (_request, response) => {
  const { Pool } = await import('pg');
  const { rows } = await new Pool({ connectionString: process.env.DATABASE_URL }).query('select 1 as one');
  response.json(rows);
};
