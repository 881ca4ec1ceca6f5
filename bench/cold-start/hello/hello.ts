import type { Endpoint } from '../../../functions/endpoint.ts';

/** The least that a function can do. */
export const hello: Endpoint = async (_request, response) => {
  response.send('hello');
};

/** The least that one with a database can do. */
export const ask: Endpoint = async (_request, response) => {
  const { Pool } = await import('pg');
  const { rows } = await new Pool({ connectionString: process.env.DATABASE_URL }).query('select 1 as one');
  response.json(rows);
};
