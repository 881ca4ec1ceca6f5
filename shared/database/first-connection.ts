import type pg from 'pg';
import type { DatabaseConfig } from '../config/database.ts';

/**
 * How long the first connection may take in a private network, in ms: instances of Cloud Run wait "a minute
 * or more" for theirs, https://docs.cloud.google.com/run/docs/configuring/vpc-direct-vpc. Capture has 60 s
 * for a request.
 */
const firstConnectMs = 55_000;

/** Lets connections of a pool in a private network take longer until the first one is open. */
export function allowSlowNetwork(pool: pg.Pool, config: DatabaseConfig): void {
  if (config.kind !== 'cloud-sql' || config.ipType === 'PUBLIC') return;
  const { connectionTimeoutMillis } = pool.options;
  // The pool reads it for each connection.
  pool.options.connectionTimeoutMillis = firstConnectMs;
  pool.once('connect', () => {
    pool.options.connectionTimeoutMillis = connectionTimeoutMillis;
  });
}
