import { probeCapture } from '../../shared/capture/probe-capture.ts';
import { isReadOnly } from '../../shared/database/is-read-only.ts';
import * as endpoint from '../capture/capture.ts';
import { serveHealth, watchHealth } from '../health.ts';
import { serveRawFunction } from '../raw-requests.ts';
import { captureConnections, captureDb, config } from '../startup.ts';

const { captureSecrets: secrets, sources, maxBodyBytes, retry } = config;

// After a failure only an insert shows that there is room on the disk again; without one, nothing is written
// for a probe.
const health = watchHealth('captures are not stored', captureDb, async (db, hasFailed) => {
  if (hasFailed) return probeCapture(db);
  if (await isReadOnly(db)) throw new Error('The database is read-only.');
});

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
      maxRecurrences: retry.maxRecurrences,
      repeatSeconds: retry.repeatSeconds,
    }),
  ),
);
