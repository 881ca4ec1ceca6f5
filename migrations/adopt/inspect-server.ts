import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { readStatement } from './read-statement.ts';

/** The rights of the login in the database, and the objects that stand in the way of the schema. */
export type Server = {
  readonly login: string;
  readonly mayCreate: boolean;
  readonly mayCreateRoles: boolean;
  readonly missingRoles: readonly string[];
  /** Every login may create objects in the schema public. */
  readonly everyoneCreates: boolean;
  readonly timeZone: string;
  /** Names of this product that other objects have. */
  readonly taken: readonly string[];
  /** Tables named dlq_events in other schemas. */
  readonly elsewhere: readonly string[];
};

const folder = path.resolve(import.meta.dirname, '..');
const roles = 'capture reporter writer retry replay console maintain readonly'
  .split(' ')
  .map((name) => `dlq_${name}`);

/** Returns the migrations in their order. */
export async function readMigrations(): Promise<{ readonly name: string; readonly text: string }[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{3}_.*\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: path.parse(file).name,
      text: await readFile(path.join(folder, file), 'utf8'),
    })),
  );
}

/** Returns the kind and the name of every object that the migrations create, but not of indexes, in their order. */
export async function listObjects(): Promise<{ readonly kind: string; readonly name: string }[]> {
  const migrations = await readMigrations();
  return migrations.flatMap(({ text }) =>
    [...text.matchAll(/^create (table|view|function|type) (\w+)/gm)].map(([, kind = '', name = '']) => ({
      kind,
      name,
    })),
  );
}

/** Inspects the server. `own` are tables of the product's names that are adopted. Changes nothing. */
export async function inspectServer(client: pg.Client, own: readonly string[]): Promise<Server> {
  const names = (await listObjects()).map(({ name }) => name).filter((name) => !own.includes(name));
  const { rows } = await client.query<Server>(await readStatement('inspect-server'), [names, roles]);
  return rows[0] as Server;
}

/** Lists the reasons on the side of the server against an adoption, each with its remedy. */
export function findServerObstacles({
  login,
  mayCreate,
  mayCreateRoles,
  missingRoles,
  taken,
}: Server): string[] {
  return [
    ...(mayCreate
      ? []
      : [
          `${login} may not create tables. Run as the owner of the database: GRANT CREATE ON SCHEMA public TO ${login};`,
        ]),
    ...(mayCreateRoles || missingRoles.length === 0
      ? []
      : [
          `${login} may not create roles. Run as an administrator: ${missingRoles.map((role) => `CREATE ROLE ${role} NOLOGIN;`).join(' ')}`,
        ]),
    ...taken.map((name) => `${name} exists, and this product creates an object of that name: rename yours.`),
  ];
}
