import { probeCapture } from '../../shared/capture/store-captures.ts';
import * as endpoint from '../capture/capture.ts';
import { serveHealth, watchHealth } from '../health.ts';
import { serveRawFunction } from '../raw-requests.ts';
import { captureConnections, captureDb, config } from '../startup.ts';

const { captureSecrets: secrets, sources, maxBodyBytes, retry } = config;

const health = watchHealth('captures are not stored', captureDb, probeCapture);

/** Stores the failed messages that it receives. */
export const capture = serveRawFunction(
  'capture',
  serveHealth(
    health.check,
    endpoint.capture({
      db: captureDb,
      maxStatements: captureConnections,
      watch: health.watch,
      secrets,
      sources,
      maxBodyBytes,
      repeatSeconds: retry.repeatSeconds,
    }),
  ),
);
