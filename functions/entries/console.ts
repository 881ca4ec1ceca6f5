import { consolePages } from '../console/console.ts';
import { openIdentify } from '../identity/identify-caller.ts';
import { identifyUser } from '../identity/identify-user.ts';
import { serveRawFunction } from '../raw-requests.ts';
import { config, db } from '../startup.ts';

const { routes, retry, costLimit, callers, database } = config;
const { base } = config.console;
const identify = identifyUser(openIdentify(callers), config.console);
const listen = database.notify ? db.listen : undefined;

const pages = serveRawFunction(
  'console',
  consolePages({ db, routes, retry, costLimit, base, listen, identify }),
);

/** The pages for operators and viewers. Inside this module, the name `console` stays the global object. */
export { pages as console };
