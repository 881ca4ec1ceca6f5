import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Config, readConfig } from '../shared/config.ts';
import { openDatabase } from '../shared/database.ts';
import { ConfigError } from '../shared/errors.ts';
import type { Endpoint } from './endpoint.ts';
import { type RawEndpoint, takeRequests } from './raw-requests.ts';

const config = readConfigOrExit();
const db = openDatabase(
  config.database,
  process.env.K_SERVICE ?? process.env.FUNCTION_TARGET ?? 'dead-letter-office',
);

export const capture = takingRequests(
  'capture',
  loadOnFirstCall(async () => {
    const module = await import('./capture/capture.ts');
    return module.capture({ db, maxReturns: config.retry.maxReturns, secrets: config.captureSecrets });
  }),
);

export const retry = loadOnFirstCall(async () => {
  const module = await import('./retry/retry.ts');
  return module.retry({ db, routes: config.routes, retry: config.retry });
});

export const replay = takingRequests(
  'replay',
  loadOnFirstCall(async () => {
    const module = await import('./replay/replay.ts');
    const { openIdentify } = await import('./identity/identify-caller.ts');
    const { routes, retry, callers, costLimit } = config;
    return module.replay({ db, routes, retry, costLimit, callWorker, identify: openIdentify(callers) });
  }),
);

// Exported under its name alone: within this module `console` has to stay what it is to everybody.
const consoleFunction = loadOnFirstCall(async () => {
  const module = await import('./console/console.ts');
  const { openIdentify } = await import('./identity/identify-caller.ts');
  const { identifyPerson } = await import('./console/identify-person.ts');
  const { routes, retry, costLimit, callers } = config;
  const identify = identifyPerson(openIdentify(callers), config.console);
  const { base } = config.console;
  const listen = config.database.notify ? db.listen : undefined;
  return module.consolePages({ db, routes, retry, costLimit, callWorker, base, listen, identify });
});

export { consoleFunction as console };

export const maintain = loadOnFirstCall(async () => {
  const module = await import('./maintain/maintain.ts');
  return module.maintain({ db, routes: config.routes, retention: config.retention });
});

/** Each instance loads only the code of its own function, and each bundle has only that: others are left out unused. */
/* @__NO_SIDE_EFFECTS__ */
function loadOnFirstCall<Incoming extends IncomingMessage, Outgoing extends ServerResponse>(
  load: () => Promise<Endpoint<Incoming, Outgoing>>,
): Endpoint<Incoming, Outgoing> {
  let endpoint: Endpoint<Incoming, Outgoing> | undefined;
  let loading: Promise<Endpoint<Incoming, Outgoing>> | undefined;
  return (request, response) => {
    if (endpoint) return endpoint(request, response);
    loading ??= load();
    return loading.then((loaded) => {
      endpoint = loaded;
      return loaded(request, response);
    });
  };
}

/** A function that gets its requests as they came, in the instances that serve it under this name. */
/* @__NO_SIDE_EFFECTS__ */
function takingRequests(name: string, endpoint: RawEndpoint): RawEndpoint {
  if (process.env.FUNCTION_TARGET === name) takeRequests(endpoint);
  return endpoint;
}

/** Asks for a worker for a run, where there is a topic to ask on. */
async function callWorker(runId: string): Promise<void> {
  const { callWorker: call } = await import('../shared/continuation.ts');
  const { continueTopic } = config.retry;
  if (continueTopic !== undefined) await call(continueTopic, runId);
}

/** A revision that cannot work must not start: the last good one goes on serving. */
function readConfigOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
