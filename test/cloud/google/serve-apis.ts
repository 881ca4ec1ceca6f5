import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { ApiError } from './api-error.ts';
import type { Call, Method, Service } from './call.ts';
import type { Google } from './google.ts';
import type { Json } from './json.ts';
import { compileTemplate } from './path-template.ts';

/**
 * Returns a listener that finds the method of each request by its host and path, and answers as Google's APIs
 * do.
 */
export function serveApis(google: Google, services: readonly Service[], memberOf: (token: string) => string) {
  const methods = services.flatMap((service) =>
    Object.entries(service).map(([key, method]) => {
      const [verb, template = ''] = key.split(' ');
      return { verb, match: compileTemplate(template), method };
    }),
  );
  const findMethod = (verb: string, address: string): [Method, Record<string, string>] => {
    for (const { match, method } of methods.filter((each) => each.verb === verb)) {
      const path = match(address);
      if (path) return [method, path];
    }
    throw new ApiError('NOT_FOUND', `The stand-in has no method for ${verb} ${address}.`);
  };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const call = await readCall(request, memberOf);
      const { verb } = call;
      const address = call.address.replace(/(?<=\/projects\/)\d+(?=[/:]|$)/, (number) =>
        idOf(google, number),
      );
      google.calls.push(`${verb} ${address}`);
      google.callers.add(call.caller);
      failAsPlanned(google, `${verb} ${address}`);
      const [method, path] = findMethod(verb, address);
      const answer = await method({ ...call, path });
      send(response, 200, answer);
    } catch (error) {
      if (!(error instanceof ApiError)) console.error(error);
      const failure = error instanceof ApiError ? error : new ApiError('INTERNAL', String(error));
      send(response, failure.httpCode, failure.body);
    }
  };
}

/** A project may be named by its number. */
function idOf({ resources }: Google, number: string): string {
  const found = [...resources.values()].find(
    ({ projectNumber, projectId }) => projectId && projectNumber === number,
  );
  return String(found?.projectId ?? number);
}

function failAsPlanned({ faults }: Google, call: string): void {
  const fault = faults.find((each) => each.times > 0 && each.call.test(call));
  if (!fault) return;
  fault.times -= 1;
  throw new ApiError(fault.status, fault.message ?? `This call fails as planned: ${fault.status}.`);
}

async function readCall(request: IncomingMessage, memberOf: (token: string) => string): Promise<Call> {
  const { method: verb = '', headers } = request;
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://google');
  const bytes = await buffer(request);
  const isJson = headers['content-type']?.startsWith('application/json') && bytes.length > 0;
  const body = (isJson ? JSON.parse(bytes.toString()) : {}) as Json;
  const caller = memberOf(headers.authorization?.replace(/^Bearer /, '') ?? '');
  return { verb, address: `${headers.host}${pathname}`, path: {}, query, headers, body, bytes, caller };
}

function send(response: ServerResponse, code: number, body: object): void {
  const isBytes = Buffer.isBuffer(body);
  response.writeHead(code, { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' });
  response.end(isBytes ? body : JSON.stringify(body));
}
