import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serveAdminApi } from './admin-api.ts';
import { createAuthority } from './certificates.ts';
import { openDatabaseGate } from './database-gate.ts';

export type CloudSql = {
  /** The environment of a process on a machine with a login to Google Cloud. */
  readonly env: Record<string, string>;
  readonly instance: string;
  readonly database: string;
  stop(): Promise<void>;
};

/** The port of every instance's gate. */
const gatePort = 3307;

/**
 * Stands in for an instance of Cloud SQL that `user` may log in to, in front of a database whose URL has
 * their password.
 */
export async function startCloudSql(user: string, databaseUrl: string, refusals = 0): Promise<CloudSql> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-cloud-sql-'));
  const [web, instance] = [createAuthority('web'), createAuthority('instance')];
  // Several may run at once, and the port is given.
  const part = () => 1 + Math.floor(Math.random() * 250);
  const address = process.platform === 'linux' ? `127.${part()}.${part()}.${part()}` : '127.0.0.1';
  const api = serveAdminApi({ web, instance, region: 'europe-west1', address, user, refusals }).listen(
    0,
    '127.0.0.1',
  );
  const gate = openDatabaseGate(instance, 'acme:dlo', databaseUrl).listen(gatePort, address);
  await Promise.all([once(api, 'listening'), once(gate, 'listening')]);
  const host = `127.0.0.1:${(api.address() as AddressInfo).port}`;
  const trusted = path.join(folder, 'web.pem');
  await writeFile(trusted, web.certificate);
  return {
    env: {
      HTTPS_PROXY: `http://${host}`,
      NO_PROXY: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: trusted,
      GCE_METADATA_HOST: host,
      METADATA_SERVER_DETECTION: 'assume-present',
      GOOGLE_CLOUD_PROJECT: 'acme',
      HOME: folder,
    },
    instance: 'acme:europe-west1:dlo',
    database: new URL(databaseUrl).pathname.slice(1),
    stop: async () => {
      api.closeAllConnections();
      api.close();
      gate.close();
      await rm(folder, { recursive: true });
    },
  };
}
