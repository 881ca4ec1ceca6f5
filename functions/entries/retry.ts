import { within } from '../../shared/database/database.ts';
import { workerDeadlineMs } from '../../shared/delivery/delivery-deps.ts';
import * as endpoint from '../retry/retry.ts';
import { shutdown } from '../shutdown.ts';
import { config, db } from '../startup.ts';

const { routes, retry: settings } = config;

/** Redelivers due events, called by the schedule. */
export const retry = endpoint.retry({ db: within(db, workerDeadlineMs), routes, retry: settings, shutdown });
