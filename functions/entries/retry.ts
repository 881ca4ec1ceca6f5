import { within } from '../../shared/database/database.ts';
import { probes } from '../../shared/database/probes.ts';
import { workerDeadlineMs } from '../../shared/delivery/delivery-deps.ts';
import { announceEffects } from '../../shared/schedule/config-effects.ts';
import { serveHealth, watchHealth } from '../health.ts';
import * as endpoint from '../retry/retry.ts';
import { shutdown } from '../shutdown.ts';
import { config, db } from '../startup.ts';

const { routes, retry: settings } = config;

const { check, watch } = watchHealth('ticks make no progress', db, probes.settlement);

/** The effects of this configuration, logged once, before the first tick of this instance. */
let announced: Promise<void> | undefined;
const announce = () => {
  announced ??= announceEffects(within(db, 3000), { routes });
  return announced;
};

/** Redelivers due events, called by the schedule. */
export const retry = serveHealth(
  'retry',
  check,
  endpoint.retry({ db: within(db, workerDeadlineMs), routes, retry: settings, shutdown, watch, announce }),
);
