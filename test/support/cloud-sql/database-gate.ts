import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import pg from 'pg';
import type { Authority } from './certificates.ts';

/**
 * Stands in for the gate of an instance: lets in whom a certificate names, without a password, under that
 * name and no other, and passes them on to a real PostgreSQL with the password that nobody else knows.
 */
export function openDatabaseGate(instance: Authority, name: string, databaseUrl: string): Server {
  const { certificate: cert, key } = instance.issue(name);
  const options = { cert, key, ca: instance.certificate, requestCert: true, minVersion: 'TLSv1.3' } as const;
  return createServer(options, (socket) => {
    socket.on('error', () => socket.destroy());
    letIn(socket, databaseUrl).catch((error) => refuse(socket, String(error)));
  });
}

// Messages of PostgreSQL's protocol: https://www.postgresql.org/docs/18/protocol-message-formats.html

async function letIn(socket: TLSSocket, databaseUrl: string): Promise<void> {
  const [startup] = (await once(socket, 'data')) as [Buffer];
  const words = startup.subarray(8).toString().split('\0');
  const { user, database } = Object.fromEntries(
    words.flatMap((word, i) => (i % 2 === 0 ? [[word, words[i + 1]]] : [])),
  );
  if (user !== socket.getPeerCertificate().subject.CN)
    throw new Error(`Cloud SQL IAM: ${user} is not who logs in.`);
  // Not by the URL as a whole: pg would take the user and the database from it.
  const { hostname: host, port, password } = new URL(databaseUrl);
  const client = new pg.Client({
    host,
    port: Number(port),
    password: decodeURIComponent(password),
    user,
    database,
  });
  // Either side ends it by closing.
  client.on('error', () => {});
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  stream.removeAllListeners('data');
  socket.write(Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]));
  socket.pipe(stream).pipe(socket);
}

function refuse(socket: TLSSocket, reason: string): void {
  socket.end(message('E', Buffer.from(`SFATAL\0C28000\0M${reason}\0\0`)));
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
