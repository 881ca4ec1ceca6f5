import { probeCapture } from '../../shared/capture/store-captures.ts';
import * as endpoint from '../capture/capture.ts';
import { serveHealth, watchHealth } from '../health.ts';
import { captureConnections, captureDb, config } from '../startup.ts';

const { captureSecrets: secrets, sources, maxBodyBytes, retry } = config;
const { repeatSeconds } = retry;
const settings = { secrets, sources, maxBodyBytes, repeatSeconds };
const { check, watch } = watchHealth('captures are not stored', captureDb, probeCapture);
const deps = { db: captureDb, maxStatements: captureConnections, watch };

/** Stores the failed messages that it receives. */
export const capture = serveHealth('capture', check, endpoint.capture({ ...deps, ...settings }));
