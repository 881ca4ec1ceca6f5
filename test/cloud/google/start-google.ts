import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createAuthority } from '../../support/cloud-sql/certificates.ts';
import { createGoogle, type Google } from './google.ts';
import { serveApis } from './serve-apis.ts';
import { artifactRegistry } from './services/artifact-registry.ts';
import { cloudSql, type SqlInstances } from './services/cloud-sql.ts';
import { functions } from './services/functions.ts';
import { logging } from './services/logging.ts';
import { monitoring } from './services/monitoring.ts';
import { openId } from './services/open-id.ts';
import { pubsub } from './services/pubsub.ts';
import { resourceManager } from './services/resource-manager.ts';
import { run } from './services/run.ts';
import { scheduler } from './services/scheduler.ts';
import { secretManager } from './services/secret-manager.ts';
import { serviceAccounts } from './services/service-accounts.ts';
import { serviceUsage } from './services/service-usage.ts';
import { storage } from './services/storage.ts';
import { memberOf } from './tokens.ts';

export type RunningGoogle = {
  readonly google: Google;
  readonly sqlInstances: SqlInstances;
  /** Environment variables with which a process reaches the stand-in instead of Google. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

/**
 * Starts a stand-in of the Google APIs that a deployment calls. Processes reach it by a proxy, which answers as every host of
 * Google with a certificate that `env` makes them trust.
 */
export async function startGoogle(): Promise<RunningGoogle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-google-'));
  const google = createGoogle();
  const sqlInstances: SqlInstances = new Map();
  const services = [
    artifactRegistry,
    functions,
    logging,
    monitoring,
    openId,
    pubsub,
    resourceManager,
    run,
    scheduler,
    secretManager,
    serviceAccounts,
    serviceUsage,
    storage,
  ].map((service) => service(google));
  const listener = serveApis(google, [...services, cloudSql(google, sqlInstances)], memberOf);
  const authority = createAuthority('web');
  const { certificate: cert, key } = authority.issue('Google', ['*.googleapis.com', '*.a.run.app']);
  const tls = createTlsServer({ cert, key }, listener);
  const proxy = createServer(listener).on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    tls.emit('connection', socket);
  });
  const host = await listen(proxy);
  const trusted = path.join(folder, 'web.pem');
  await writeFile(trusted, authority.certificate);
  return {
    google,
    sqlInstances,
    env: {
      HTTPS_PROXY: `http://${host}`,
      NO_PROXY: '127.0.0.1,localhost',
      SSL_CERT_FILE: trusted,
      NODE_EXTRA_CA_CERTS: trusted,
    },
    stop: async () => {
      proxy.closeAllConnections();
      proxy.close();
      for (const instance of sqlInstances.values()) await instance.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
