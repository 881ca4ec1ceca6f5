import { within } from '../../shared/database/database.ts';
import { workerDeadlineMs } from '../../shared/delivery/delivery-deps.ts';
import { probeSettlement } from '../../shared/delivery/probe-settlement.ts';
import { serveHealth, watchHealth } from '../health.ts';
import { serveRawFunction } from '../raw-requests.ts';
import * as endpoint from '../retry/retry.ts';
import { shutdown } from '../shutdown.ts';
import { config, db } from '../startup.ts';

const { routes, retry: settings } = config;

const { check, watch } = watchHealth('ticks make no progress', db, (each) => probeSettlement(each, {}));

/** Redelivers due events, called by the schedule. */
export const retry = serveRawFunction(
  'retry',
  serveHealth(
    check,
    endpoint.retry({ db: within(db, workerDeadlineMs), routes, retry: settings, shutdown, watch }),
  ),
);
