import { operatorPath } from '../../shared/config/console.ts';
import { probes } from '../../shared/database/probes.ts';
import { consolePages, serveByRole } from '../console/console.ts';
import { serveHealth, watchHealth } from '../health.ts';
import { openIdentify } from '../identity/identify-caller.ts';
import { identifyUser } from '../identity/identify-user.ts';
import { config, db, operatorDb } from '../startup.ts';

const { routes, masks, retry, costLimit, callers } = config;
const { base, environment, failingHours } = config.console;
const identify = openIdentify(callers);
const deps = { db: operatorDb, routes, masks, retry, costLimit, environment, failingHours };

const forAll = consolePages({ ...deps, base, identify: identifyUser(identify, config.console) });
const forOperators = consolePages({
  ...deps,
  base: base + operatorPath,
  identify: identifyUser(identify, { ...config.console, isForOperators: true }),
});
const { check } = watchHealth('events cannot be read', db, probes.reading);
const pages = serveHealth('console', check, serveByRole(forAll, forOperators));

/** The pages for operators and viewers. Inside this module, the name `console` stays the global object. */
export { pages as console };
