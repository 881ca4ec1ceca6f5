import { probes } from '../../shared/database/probes.ts';
import { serveHealth, watchHealth } from '../health.ts';
import { openIdentify } from '../identity/identify-caller.ts';
import { identifyUser } from '../identity/identify-user.ts';
import * as endpoint from '../replay/replay.ts';
import { config, db, operatorDb } from '../startup.ts';

const { routes, masks, retry, callers, costLimit } = config;
const identify = identifyUser(openIdentify(callers), config.console);

const { check } = watchHealth('events cannot be changed', db, probes.settlement);

/** The API for operators and their scripts. */
export const replay = serveHealth(
  'replay',
  check,
  endpoint.replay({ db: operatorDb, routes, masks, retry, costLimit, identify }),
);
