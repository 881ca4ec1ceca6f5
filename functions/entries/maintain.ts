import { serveHealth, watchDatabase } from '../health.ts';
import * as endpoint from '../maintain/maintain.ts';
import { config, db } from '../startup.ts';

/** Runs the daily jobs and reports metrics. */
export const maintain = serveHealth(
  watchDatabase(db),
  endpoint.maintain({ db, routes: config.routes, retention: config.retention }),
);
