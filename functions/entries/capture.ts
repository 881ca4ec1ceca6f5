import * as endpoint from '../capture/capture.ts';
import { serveRawFunction } from '../raw-requests.ts';
import { captureConnections, captureDb, config } from '../startup.ts';

const { captureSecrets: secrets, retry } = config;

/** Stores the failed messages that it receives. */
export const capture = serveRawFunction(
  'capture',
  endpoint.capture({
    db: captureDb,
    maxStatements: captureConnections,
    secrets,
    maxRecurrences: retry.maxRecurrences,
    repeatSeconds: retry.repeatSeconds,
  }),
);
