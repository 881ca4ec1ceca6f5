import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../../local/database/start-postgres.ts';
import { type Authority, createAuthority } from '../../support/cloud-sql/certificates.ts';
import { openDatabaseGate } from '../../support/cloud-sql/database-gate.ts';

const gatePort = 3307;

/** A PostgreSQL of its own for one instance, behind the gate that the connector opens. */
export type SqlInstance = {
  readonly authority: Authority;
  /** The superuser's, whose password is that of every login: the gate knows no other. */
  readonly url: string;
  /** Where the connector finds the gate. */
  readonly address: string;
  /** Runs a statement as the superuser, whom Cloud SQL keeps for itself. */
  query<Row = Record<string, unknown>>(statement: string, database?: string): Promise<Row[]>;
  stop(): Promise<void>;
};

/** Starts the PostgreSQL of an instance. `name` is `project:instance`, which its certificate carries. */
export async function startSqlInstance(name: string): Promise<SqlInstance> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dlo-instance-'));
  await chmod(folder, 0o711);
  const postgres = await startPostgres(folder, ['fsync=off', 'max_connections=100']);
  const { url } = postgres;
  const query = async <Row>(statement: string, database = 'postgres') => {
    const client = new pg.Client({
      connectionString: Object.assign(new URL(url), { pathname: database }).href,
    });
    await client.connect();
    try {
      return (await client.query(statement)).rows as Row[];
    } finally {
      await client.end();
    }
  };
  // As Cloud SQL sets up an instance: https://cloud.google.com/sql/docs/postgres/users#default-users
  await query('create role cloudsqlsuperuser createrole createdb');
  await query('grant create on database postgres to cloudsqlsuperuser');
  const authority = createAuthority(`authority of ${name}`);
  const { gate, address } = await openGate(authority, name, url);
  return {
    authority,
    url,
    address,
    query,
    stop: async () => {
      gate.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The port is given, so each instance listens at an address of its own. */
async function openGate(
  authority: Authority,
  name: string,
  url: string,
): Promise<{ gate: Server; address: string }> {
  const part = () => 1 + Math.floor(Math.random() * 250);
  const address = `127.${part()}.${part()}.${part()}`;
  const gate = openDatabaseGate(authority, name, url).listen(gatePort, address);
  await once(gate, 'listening');
  return { gate, address };
}

/** Creates a login of IAM. It has a password only because the gate needs one. */
export async function createLogin(
  instance: SqlInstance,
  user: string,
  roles: readonly string[],
): Promise<void> {
  const name = pg.escapeIdentifier(user);
  const password = decodeURIComponent(new URL(instance.url).password);
  await instance.query(`create role ${name} login password ${pg.escapeLiteral(password)}`);
  for (const role of roles) await instance.query(`grant ${pg.escapeIdentifier(role)} to ${name}`);
}
