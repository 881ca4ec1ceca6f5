import { type Config, readConfig } from '../shared/config.ts';
import { openDatabase } from '../shared/database.ts';
import { ConfigError } from '../shared/errors.ts';
import { keepRequestsRaw } from './capture/raw-requests.ts';
import type { Endpoint } from './endpoint.ts';

const config = readConfigOrExit();
const db = openDatabase(
  config.database,
  process.env.K_SERVICE ?? process.env.FUNCTION_TARGET ?? 'dead-letter-office',
);

// Before the first request, as the framework parses it before any of our code runs.
if (['capture', 'replay'].includes(process.env.FUNCTION_TARGET ?? '')) keepRequestsRaw();

export const capture = loadOnFirstCall(async () => {
  const module = await import('./capture/capture.ts');
  return module.capture({ db, maxReturns: config.retry.maxReturns, secrets: config.captureSecrets });
});

export const retry = loadOnFirstCall(async () => {
  const module = await import('./retry/retry.ts');
  return module.retry({ db, routes: config.routes, retry: config.retry });
});

export const replay = loadOnFirstCall(async () => {
  const module = await import('./replay/replay.ts');
  const { openIdentify } = await import('./identity/identify-caller.ts');
  const { routes, retry, callers, costLimit } = config;
  return module.replay({ db, routes, retry, costLimit, callWorker, identify: openIdentify(callers) });
});

// Exported under its name alone: within this module `console` has to stay what it is to everybody.
const consoleFunction = loadOnFirstCall(async () => {
  const module = await import('./console/console.ts');
  const { openIdentify } = await import('./identity/identify-caller.ts');
  const { identifyPerson } = await import('./console/identify-person.ts');
  const { routes, retry, costLimit, callers } = config;
  const identify = identifyPerson(openIdentify(callers), config.console);
  const { base } = config.console;
  return module.consolePages({ db, routes, retry, costLimit, callWorker, base, identify });
});

export { consoleFunction as console };

export const maintain = loadOnFirstCall(async () => {
  const module = await import('./maintain/maintain.ts');
  return module.maintain({ db, routes: config.routes, retention: config.retention });
});

/** One bundle serves every function; each instance loads only the code of its own. */
function loadOnFirstCall(load: () => Promise<Endpoint>): Endpoint {
  let endpoint: Endpoint | undefined;
  let loading: Promise<Endpoint> | undefined;
  return (request, response) => {
    if (endpoint) return endpoint(request, response);
    loading ??= load();
    return loading.then((loaded) => {
      endpoint = loaded;
      return loaded(request, response);
    });
  };
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
