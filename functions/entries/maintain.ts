import { probes } from '../../shared/database/probes.ts';
import { serveHealth, watchHealth } from '../health.ts';
import * as endpoint from '../maintain/maintain.ts';
import { serveRawFunction } from '../raw-requests.ts';
import { config, db } from '../startup.ts';

const health = watchHealth('events cannot be archived', db, probes.archiving);

/** Runs the daily jobs and reports metrics. */
export const maintain = serveRawFunction(
  'maintain',
  serveHealth(health.check, endpoint.maintain({ db, ...config })),
);
