import type { FunctionName } from '../shared/config/setting.ts';
import type { Endpoint } from './endpoint.ts';
import { serveRawFunction } from './raw-requests.ts';
// Invalid settings end the process when it starts, not with its first request.
import './startup.ts';

// The five functions for `functions-framework --target NAME` and `npm start`, each loaded with its first
// request. Deployed instances start from the files in entries/ instead.
export const capture = serve('capture', async () => (await import('./entries/capture.ts')).capture);
export const retry = serve('retry', async () => (await import('./entries/retry.ts')).retry);
export const replay = serve('replay', async () => (await import('./entries/replay.ts')).replay);
export const maintain = serve('maintain', async () => (await import('./entries/maintain.ts')).maintain);
const consolePages = serve('console', async () => (await import('./entries/console.ts')).console);

export { consolePages as console };

function serve(name: FunctionName, load: () => Promise<Endpoint>): Endpoint {
  let loading: Promise<Endpoint> | undefined;
  return serveRawFunction(name, async (request, response) => {
    loading ??= load();
    const endpoint = await loading;
    return endpoint(request, response);
  });
}
