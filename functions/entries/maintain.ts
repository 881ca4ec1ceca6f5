import { serveHealth, watchDatabase } from '../health.ts';
import * as endpoint from '../maintain/maintain.ts';
import { serveRawFunction } from '../raw-requests.ts';
import { config, db } from '../startup.ts';

/** Runs the daily jobs and reports metrics. */
export const maintain = serveRawFunction(
  'maintain',
  serveHealth(
    watchDatabase(db),
    endpoint.maintain({ db, routes: config.routes, retention: config.retention }),
  ),
);
