import assert from 'node:assert/strict';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { migrations } from '../../../infra/cloud-sql.ts';
import { diff } from '../../../infra/dynamic/dynamic-code.ts';
import { hashMigrations } from '../../../migrations/hash-migrations.ts';
import { type CloudSql, startCloudSql } from '../../support/cloud-sql/use-cloud-sql.ts';
import type { Create, Created } from '../../support/create-dynamic.ts';
import { createEmptyDatabase, dropDatabase } from '../../support/database.ts';
import { useForked } from '../../support/forked.ts';
import { withGoogle } from '../../support/google.ts';
import { type Login, useLogins } from '../../support/logins.ts';
import { useMigrationsCopies } from '../../support/migrations-copies.ts';
import { pickVariant } from '../../support/sample.ts';

const inputs = {
  instance: 'acme:eu:dlo',
  database: 'events',
  user: 'ana@acme.com',
  ipType: 'PUBLIC',
  users: [],
  logins: {},
  migrations: hashMigrations(),
} as const;

/** What Pulumi does for these inputs after others. */
const compare = (change: object) => {
  const olds = { kind: 'Migrations', ...inputs } as const;
  return diff(() => undefined, olds, { ...olds, ...change });
};

describe('migrations by pulumi up', () => {
  const copyMigrations = useMigrationsCopies();

  it('are skipped if nothing changed', async () => {
    const google = withGoogle();
    google.answer = () => ({});
    assert.equal(await migrations.hasChanged(google, inputs, { ...inputs, logins: {} }), false);
  });

  it('are skipped for a login whose roles Cloud SQL does not report', async () => {
    const google = withGoogle();
    const users = [{ name: 'ana@acme.com', type: 'CLOUD_IAM_USER' }] as const;
    google.answer = ({ url }) => (url.endsWith('/users') ? { items: users } : {});
    const admins = users.map((user) => ({ ...user, databaseRoles: ['cloudsqlsuperuser'] }));
    const wanted = { ...inputs, users: admins };
    assert.equal(await migrations.hasChanged(google, wanted, wanted), false);
  });

  it('are applied again if the database is gone', async () => {
    assert.equal(await migrations.hasChanged(withGoogle(), inputs, inputs), true);
  });

  it('are applied again if a file, a login, the deployer or the database changes', async () => {
    const folder = await copyMigrations();
    await appendFile(path.join(folder, '001_events.sql'), 'select 1;');
    const edited = { migrations: hashMigrations(folder) };
    await writeFile(path.join(folder, '900_note.sql'), 'select 1');
    const added = { migrations: hashMigrations(folder) };
    const logins = { logins: { dlq_retry: ['retry@acme.iam'] } };
    const moved = [{ user: 'ben@acme.com' }, { instance: 'acme:eu:dlo2' }, { database: 'other' }];
    for (const change of [edited, added, logins, ...moved]) {
      assert.deepEqual(await compare(change), { changes: true });
    }
  });
});

/** The content of a file that `gcloud auth application-default login` writes. */
const ofUser = JSON.stringify({
  type: 'authorized_user',
  client_id: 'gcloud',
  client_secret: 'none',
  refresh_token: 'of a user',
});

describe('migrations on Cloud SQL', () => {
  let databaseUrl = '';
  let deployer: Login;
  let cloudSql: CloudSql;
  const aLogin = useLogins(() => databaseUrl);
  before(async () => {
    databaseUrl = await createEmptyDatabase();
    deployer = await aLogin('superuser');
    cloudSql = await startCloudSql(deployer.user, deployer.url, 1);
  });
  after(async () => {
    await cloudSql.stop();
    await dropDatabase(databaseUrl);
  });
  const send = useForked<Create, Created>('create-dynamic.ts', () => ({
    ...cloudSql.env,
    METADATA_SERVER_DETECTION: 'none',
  }));
  const migrate = (env: Record<string, string> = {}, config: Record<string, string> = {}) => {
    const { instance, database } = cloudSql;
    const own = { ...inputs, kind: 'Migrations', instance, database, user: deployer.user } as const;
    return send({ inputs: own, env, config });
  };
  const inHome = async (file: string, content: string) => {
    const at = path.join(cloudSql.env.HOME ?? '', file);
    await mkdir(path.dirname(at), { recursive: true });
    await writeFile(at, content);
    return at;
  };
  /** A workload identity file, whose token is exchanged for one of the deployer. */
  const aWorkload = async () => {
    const content = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/ci',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: 'https://sts.googleapis.com/v1/token',
      credential_source: { file: await inHome('subject', 'a token of the pipeline') },
    };
    return inHome('workload.json', JSON.stringify(content));
  };

  it('fail at once without Google Cloud credentials', async () => {
    const { failure } = await migrate();
    assert.match(String(failure), /Could not load the default credentials/);
  });

  const token = () => `token of ${deployer.user}`;
  const anotherToken = { GOOGLE_OAUTH_ACCESS_TOKEN: 'token of ana' };
  const sources: Record<string, () => ReturnType<typeof migrate>> = {
    GOOGLE_OAUTH_ACCESS_TOKEN: () => migrate({ GOOGLE_OAUTH_ACCESS_TOKEN: token() }),
    GOOGLE_CREDENTIALS: () => migrate({ GOOGLE_CREDENTIALS: ofUser }),
    'GOOGLE_CREDENTIALS with a workload identity file': async () =>
      migrate({ GOOGLE_CREDENTIALS: await aWorkload() }),
    GOOGLE_APPLICATION_CREDENTIALS: async () =>
      migrate({ GOOGLE_APPLICATION_CREDENTIALS: await aWorkload() }),
    GOOGLE_IMPERSONATE_SERVICE_ACCOUNT: () =>
      migrate({ ...anotherToken, GOOGLE_IMPERSONATE_SERVICE_ACCOUNT: deployer.user }),
    'gcp:accessToken': () => migrate(anotherToken, { 'gcp:accessToken': token() }),
    'gcp:credentials': () => migrate(anotherToken, { 'gcp:credentials': ofUser }),
    'gcp:impersonateServiceAccount': () =>
      migrate(anotherToken, { 'gcp:impersonateServiceAccount': deployer.user }),
  };
  for (const [name, migrateWith] of pickVariant('credentials', Object.entries(sources))) {
    it(`log in with ${name}, as the provider does`, async () => {
      assert.deepEqual(await migrateWith(), {});
    });
  }

  it('log in with the application default credentials of whoever runs pulumi up', async () => {
    await inHome('.config/gcloud/application_default_credentials.json', ofUser);
    assert.deepEqual(await migrate(), {});
    const client = new pg.Client(databaseUrl);
    await client.connect();
    const { rows } = await client.query('select name from dlq_migrations order by id limit 1');
    await client.end();
    assert.deepEqual(rows, [{ name: '001_events' }]);
  });
});
