import { serveRawFunction } from '../raw-requests.ts';
import * as endpoint from '../retry/retry.ts';
import { config, db } from '../startup.ts';

/** Redelivers due events, called by the schedule. */
export const retry = serveRawFunction(
  'retry',
  endpoint.retry({ db, routes: config.routes, retry: config.retry }),
);
