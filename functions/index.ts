import type { Endpoint } from './endpoint.ts';
import { serveRawFunction } from './raw-requests.ts';
// Invalid settings end the process when it starts, not with its first request.
import './startup.ts';

// The five functions for `functions-framework --target NAME` and `npm start`, each loaded with its first
// request. Deployed instances start from the files in entries/ instead.
export const capture = serveRawFunction(
  'capture',
  loadOnFirstCall(async () => (await import('./entries/capture.ts')).capture),
);
export const retry = serveRawFunction(
  'retry',
  loadOnFirstCall(async () => (await import('./entries/retry.ts')).retry),
);
export const replay = serveRawFunction(
  'replay',
  loadOnFirstCall(async () => (await import('./entries/replay.ts')).replay),
);
export const maintain = serveRawFunction(
  'maintain',
  loadOnFirstCall(async () => (await import('./entries/maintain.ts')).maintain),
);

const consolePages = serveRawFunction(
  'console',
  loadOnFirstCall(async () => (await import('./entries/console.ts')).console),
);

export { consolePages as console };

/** An endpoint that loads the real one with its first request. */
function loadOnFirstCall(load: () => Promise<Endpoint>): Endpoint {
  let loading: Promise<Endpoint> | undefined;
  return async (request, response) => {
    loading ??= load();
    const endpoint = await loading;
    return endpoint(request, response);
  };
}
