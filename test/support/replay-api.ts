import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ServedFunction } from './framework.ts';

export type ApiAnswer<Body> = { readonly status: number; readonly headers: Headers; readonly body: Body };

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Record<string, unknown> }>>>>;
};

/** Calls the replay API, and holds every answer against what its own OpenAPI document promises. */
export function useReplayApi(served: () => ServedFunction) {
  let checks: Promise<(what: string[], body: unknown) => void> | undefined;

  return async function call<Body = Record<string, unknown>>(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<Body>> {
    checks ??= readDocument(served().url);
    const response = await fetch(new URL(path, served().url), {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer = await response.json();
    (await checks)([method.toLowerCase(), `/${path.split('?')[0]}`, String(response.status)], answer);
    return { status: response.status, headers: response.headers, body: answer as Body };
  };
}

async function readDocument(url: string): Promise<(what: string[], body: unknown) => void> {
  const document = (await (await fetch(new URL('openapi.json', url))).json()) as Document;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  return ([method = '', path = '', status = ''], body) => {
    const template = Object.keys(document.paths).find((each) => matches(each, path));
    assert.ok(template, `${path} is described`);
    const { responses } = document.paths[template]?.[method] ?? { responses: {} };
    const place =
      status in responses
        ? ['paths', template, method, 'responses', status, 'content', 'application/json', 'schema']
        : ['components', 'schemas', 'Problem'];
    const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const validate = ajv.compile({ $ref: `api#/${encodeURI(pointer)}` });
    assert.ok(validate(body), `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`);
  };
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}
