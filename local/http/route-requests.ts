import type { RequestListener, ServerResponse } from 'node:http';
import { answerError, answerProblem } from '../../functions/endpoint.ts';
import { answerHealth as answerHealthOf } from '../../functions/health.ts';
import { rejectUnlessLocal } from '../../functions/identity/local-caller.ts';
import { type FunctionName, functionNames } from '../../shared/config/setting.ts';
import type { CallFunction } from '../functions.ts';

/** The running service, as far as requests need it. */
export type Service = {
  /** Undefined during startup. */
  call?: CallFunction;
  /** Returns why it cannot do its work; undefined during startup. */
  checkHealth?: () => Promise<readonly string[]>;
};

/**
 * Returns a listener that passes `/<function>/...` to that function, with the first path segment removed.
 * Rejects requests of a page in a browser that is not one of this service, whatever the path: captures and
 * ticks need no other permission.
 */
export function routeRequests(service: Service): RequestListener {
  return (request, response) => {
    try {
      rejectUnlessLocal(request);
    } catch (error) {
      return answerError(response, error);
    }
    const { name, path } = splitPath(request.url ?? '/');
    if (name === '' && path === '/') return void response.writeHead(302, { location: '/console/' }).end();
    if (name === 'healthz' && path === '/') return answerHealth(service, response);
    if (!isFunctionName(name)) return answerUnknown(response);
    if (!service.call) return answerStarting(response);
    request.url = path;
    service.call(name, request, response);
  };
}

/** Splits `/capture/x?y` into the function `capture` and the path `/x?y`. */
function splitPath(url: string): { name: string; path: string } {
  const [, name = '', rest = ''] = /^\/([^/?]*)(.*)$/s.exec(url) ?? [];
  return { name, path: rest.startsWith('/') ? rest : `/${rest}` };
}

function isFunctionName(name: string): name is FunctionName {
  return functionNames.some((each) => each === name);
}

async function answerHealth({ call, checkHealth }: Service, response: ServerResponse): Promise<void> {
  if (!call || !checkHealth) return answerStarting(response);
  return answerHealthOf(response, await checkHealth());
}

function answerStarting(response: ServerResponse): void {
  response.setHeader('retry-after', '1');
  const detail = 'The service is starting. Send the same request again in a moment.';
  answerProblem(response, { status: 503, detail, code: 'STARTING' });
}

function answerUnknown(response: ServerResponse): void {
  const paths = ['/', '/healthz', ...functionNames.map((name) => `/${name}`)];
  const detail = `Unknown path. Known paths: ${paths.join(', ')}.`;
  answerProblem(response, { status: 404, detail, code: 'NOT_FOUND', paths });
}
