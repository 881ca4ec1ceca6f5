import { before } from 'node:test';
import { consolePages } from '../../functions/console/console.ts';
import type { ConsoleDeps } from '../../functions/console/page.ts';
import type { Endpoint } from '../../functions/endpoint.ts';
import type { ConsoleUser } from '../../functions/identity/identify-user.ts';
import type { TestDatabase } from './database.ts';
import { retryConfig } from './routes.ts';
import { useServer } from './server.ts';

export const operator: ConsoleUser = { name: 'ada@example.com', via: 'iap', isOperator: true };
export const viewer: ConsoleUser = { name: 'bob@example.com', via: 'iap', isOperator: false };

type Field = readonly [name: string, value: string];

/** Sends a form as a browser does from a page of the same origin. Does not follow the redirect. */
export function sendForm(url: string, fields: Record<string, string> | readonly Field[]): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields as Record<string, string>),
    headers: { 'sec-fetch-site': 'same-origin' },
  });
}

/**
 * Serves the console to a suite with Node's own requests, as in a deployment. Each request is made by
 * `caller`.
 */
export function useConsole(
  database: () => TestDatabase,
  more: Partial<ConsoleDeps> = {},
): () => { readonly url: string; caller: ConsoleUser } {
  let pages: Endpoint | undefined;
  const origin = useServer((request, response) => pages?.(request, response));
  const served = { url: '', caller: operator };
  before(() => {
    pages = consolePages({
      db: database().as('dlq_console'),
      routes: [],
      retry: retryConfig(),
      costLimit: 0,
      base: '/',
      identify: () => served.caller,
      ...more,
    });
    served.url = origin();
  });
  return () => served;
}
