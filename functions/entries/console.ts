import { operatorPath } from '../../shared/config/console.ts';
import { consolePages } from '../console/console.ts';
import { identifyUser } from '../console/identify-user.ts';
import { serveByRole } from '../console/serve-by-role.ts';
import { openIdentify } from '../identity/identify-caller.ts';
import { serveRawFunction } from '../raw-requests.ts';
import { config, db } from '../startup.ts';

const { routes, retry, costLimit, callers, database } = config;
const { base } = config.console;
const identify = openIdentify(callers);
const listen = database.notify ? db.listen : undefined;
const deps = { db, routes, retry, costLimit, listen };

const forAll = consolePages({ ...deps, base, identify: identifyUser(identify, config.console) });
const forOperators = consolePages({
  ...deps,
  base: base + operatorPath,
  identify: identifyUser(identify, { ...config.console, isForOperators: true }),
});
const pages = serveRawFunction('console', serveByRole(forAll, forOperators));

/** The pages for operators and viewers. Inside this module, the name `console` stays the global object. */
export { pages as console };
