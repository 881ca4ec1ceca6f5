import { probes } from '../../shared/database/probes.ts';
import { serveHealth, watchHealth } from '../health.ts';
import * as endpoint from '../maintain/maintain.ts';
import { config, db } from '../startup.ts';

const { check } = watchHealth('events cannot be archived', db, probes.archiving);

/** Runs the jobs of maintain and shows metrics. */
export const maintain = serveHealth('maintain', check, endpoint.maintain({ db, ...config }));
