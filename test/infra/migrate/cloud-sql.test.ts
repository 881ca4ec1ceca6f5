import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Migrations } from '../../../infra/migrate/migrations.ts';
import { type CloudSql, startCloudSql } from '../../support/cloud-sql/use-cloud-sql.ts';
import { createEmptyDatabase, dropDatabase } from '../../support/database.ts';
import { registerInputs, useDynamicProvider } from '../../support/dynamic-provider.ts';
import { type Login, useLogins } from '../../support/logins.ts';

/** The file that `gcloud auth application-default login` writes. */
const credentials = {
  type: 'authorized_user',
  client_id: 'gcloud',
  client_secret: 'none',
  refresh_token: 'of a user',
};

describe('migrations on Cloud SQL', () => {
  let databaseUrl = '';
  let deployer: Login;
  let cloudSql: CloudSql;
  let credentialsFile = '';
  const aLogin = useLogins(() => databaseUrl);
  before(async () => {
    databaseUrl = await createEmptyDatabase();
    deployer = await aLogin('superuser');
    cloudSql = await startCloudSql(deployer.user, deployer.url, 1);
    credentialsFile = path.join(
      cloudSql.env.HOME ?? '',
      '.config/gcloud/application_default_credentials.json',
    );
    await mkdir(path.dirname(credentialsFile), { recursive: true });
  });
  after(async () => {
    await cloudSql.stop();
    await dropDatabase(databaseUrl);
  });
  const provider = useDynamicProvider(() => ({ ...cloudSql.env, METADATA_SERVER_DETECTION: 'none' }));
  const register = () => {
    const { instance, database } = cloudSql;
    const location = { instance, database, user: deployer.user, ipType: 'PUBLIC' } as const;
    return registerInputs(() => new Migrations('migrations', location));
  };

  it('fail at once without Google Cloud credentials', async () => {
    const creating = provider().create(await register());
    await assert.rejects(
      creating,
      /No connection to acme:europe-west1:dlo as .*: Could not load the default credentials/,
    );
  });

  it('log in with the credentials that run pulumi up, once the login is known', async () => {
    await writeFile(credentialsFile, JSON.stringify(credentials));
    const { id, outs } = await provider().create(await register());
    assert.equal(id, `${cloudSql.instance}/${cloudSql.database}`);
    assert.equal((outs.applied as string[])[0], '001_events');
  });
});
