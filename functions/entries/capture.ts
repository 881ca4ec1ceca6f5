import * as endpoint from '../capture/capture.ts';
import { serveRawFunction } from '../raw-requests.ts';
import { config, db } from '../startup.ts';

const { captureSecrets: secrets, maxBodyBytes, retry } = config;

/** Stores the failed messages that it receives. */
export const capture = serveRawFunction(
  'capture',
  endpoint.capture({
    db,
    secrets,
    maxBodyBytes,
    maxRecurrences: retry.maxRecurrences,
    repeatSeconds: retry.repeatSeconds,
  }),
);
