import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, type Server } from 'node:net';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { run } from './fetch-packages.ts';

export type TlsDoor = {
  /** `localhost:PORT`, which has TLS and leads to the plain port. */
  readonly endpoint: string;
  /** A service account, whose tokens come from this process. */
  readonly credentials: string;
  /** Variables by which Java trusts the certificate. */
  readonly env: Readonly<Record<string, string>>;
};

const password = 'changeit';

/**
 * Opens TLS before a plain port on this machine: Google's connector knows no emulator, and needs TLS and
 * credentials.
 */
export async function openTlsDoor(plainPort: number): Promise<TlsDoor> {
  const folder = path.join(process.env.DLO_TEST_FOLDER ?? '', `door-${plainPort}`);
  await mkdir(folder, { recursive: true });
  const store = path.join(folder, 'localhost.p12');
  const subject = ['-dname', 'CN=localhost', '-ext', 'san=dns:localhost', '-keyalg', 'RSA'];
  run('keytool', ['-genkeypair', '-noprompt', '-keystore', store, '-storepass', password, ...subject]);
  const settings = { pfx: await readFile(store), passphrase: password, ALPNProtocols: ['h2'] };
  const door = createTlsServer(settings, (client) => {
    const server = connect(plainPort, '127.0.0.1');
    // The worker keeps them open until this process ends.
    for (const socket of [client, server]) socket.unref();
    client.pipe(server).pipe(client);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
  });
  const tokens = createHttpServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ access_token: 'any', token_type: 'Bearer', expires_in: 3600 }));
  });
  const credentials = path.join(folder, 'account.json');
  await writeFile(credentials, describeAccount(`http://127.0.0.1:${await listen(tokens)}`));
  const trust = `-Djavax.net.ssl.trustStore=${store} -Djavax.net.ssl.trustStorePassword=${password}`;
  return {
    endpoint: `localhost:${await listen(door)}`,
    credentials,
    env: { JAVA_TOOL_OPTIONS: trust },
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as AddressInfo).port;
}

function describeAccount(tokenUri: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return JSON.stringify({
    type: 'service_account',
    project_id: 'acme',
    private_key_id: '1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'suite@acme.iam.gserviceaccount.com',
    client_id: '1',
    token_uri: tokenUri,
  });
}
