import { before } from 'node:test';
import { type CaptureDeps, capture } from '../../functions/capture/capture.ts';
import type { Endpoint } from '../../functions/endpoint.ts';
import type { TestDatabase } from './database.ts';
import { useServer } from './server.ts';

/** Serves capture to a suite with Node's own requests, as in a deployment. */
export function useCapture(
  database: () => TestDatabase,
  more: Partial<CaptureDeps> = {},
): () => { readonly url: string } {
  let endpoint: Endpoint | undefined;
  before(() => {
    endpoint = capture({
      db: database().as('dlq_capture'),
      repeatSeconds: 600,
      secrets: [],
      maxBodyBytes: 2 ** 24,
      maxStatements: 4,
      watch: (run) => run(),
      ...more,
    });
  });
  const origin = useServer((request, response) => endpoint?.(request, response));
  return () => ({ url: `${origin()}/` });
}
