import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { createAuthority } from '../../support/cloud-sql/certificates.ts';
import type { Service } from './call.ts';
import { type ApiResponse, callApi } from './call-api.ts';
import { callService, serveFront } from './cloud-run/front.ts';
import { type Instances, openInstances } from './cloud-run/instances.ts';
import { createGoogle, type Google } from './google.ts';
import { serveGrpcPublisher } from './grpc-publisher.ts';
import type { Send } from './publish.ts';
import { serveApis } from './serve-apis.ts';
import { artifactRegistry } from './services/artifact-registry.ts';
import { cloudSql, type SqlInstances } from './services/cloud-sql.ts';
import { functions } from './services/functions.ts';
import { iap } from './services/iap.ts';
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
  /** The running functions. */
  readonly instances: Instances;
  /**
   * Calls a method as an IAM member: `call(member, 'GET', 'pubsub.googleapis.com/v1/projects/acme/topics')`.
   */
  call(member: string, verb: string, address: string, body?: object): Promise<ApiResponse>;
  /** For a server at localhost, which processes with `env` trust. */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** Environment variables with which a process reaches the stand-in instead of Google. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

/**
 * Starts a stand-in of the Google APIs that a deployment calls. Processes reach it by a proxy, which answers
 * as every host of Google with a certificate that `env` makes them trust.
 */
export async function startGoogle(): Promise<RunningGoogle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-google-'));
  const google = createGoogle();
  const sqlInstances: SqlInstances = new Map();
  const env: Record<string, string> = {};
  const instances = openInstances(google, env);
  const send: Send = async (url, token, body, verb = 'POST') => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const content = verb === 'POST' ? Buffer.from(JSON.stringify(body)) : undefined;
    const sent = { url, verb, headers, body: content, isInternal: true };
    return (await callService(google, instances, sent)).status;
  };
  const apis = serveApis(google, [...listServices(google, send), cloudSql(google, sqlInstances)], memberOf);
  const front = serveFront(google, instances);
  const web = createServer((request, response) =>
    request.headers.host?.endsWith('.run.app') ? front(request, response) : apis(request, response),
  );
  const publisher = serveGrpcPublisher(google, send);
  const authority = createAuthority('web');
  const hosts = ['*.googleapis.com', '*.a.run.app', 'localhost'];
  const { certificate: cert, key } = authority.issue('Google', hosts);
  const tls = createTlsServer({ cert, key, ALPNProtocols: ['http/1.1', 'h2'] }, (socket) =>
    socket.alpnProtocol === 'h2' ? publisher.accept(socket) : web.emit('connection', socket),
  );
  tls.on('tlsClientError', (_error, socket) => socket.destroy());
  const proxy = createServer(apis).on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    tls.emit('connection', socket);
  });
  const host = await listen(proxy);
  const trusted = path.join(folder, 'web.pem');
  await writeFile(trusted, authority.certificate);
  Object.assign(env, {
    HTTPS_PROXY: `http://${host}`,
    // Each client has its own: gRPC, and fetch of Node.js.
    grpc_proxy: `http://${host}`,
    NODE_USE_ENV_PROXY: '1',
    NO_PROXY: '127.0.0.1,localhost',
    no_grpc_proxy: '127.0.0.1,localhost',
    SSL_CERT_FILE: trusted,
    NODE_EXTRA_CA_CERTS: trusted,
  });
  return {
    google,
    sqlInstances,
    instances,
    call: (member, verb, address, body) =>
      callApi({ port: (proxy.address() as AddressInfo).port, member }, [verb, address], body),
    certificate: { cert, key },
    env,
    stop: async () => {
      await instances.stop();
      publisher.stop();
      proxy.closeAllConnections();
      web.closeAllConnections();
      proxy.close();
      for (const instance of sqlInstances.values()) await instance.stop();
      await rm(folder, { recursive: true });
    },
  };
}

function listServices(google: Google, send: Send): Service[] {
  return [
    artifactRegistry(google),
    functions(google),
    iap(google),
    logging(google),
    monitoring(google),
    openId(),
    pubsub(google, send),
    resourceManager(google),
    run(google),
    scheduler(google, send),
    secretManager(google),
    serviceAccounts(google),
    serviceUsage(google),
    storage(google),
  ];
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
