import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Migrations } from '../../../infra/migrate/migrations.ts';
import { type CloudSql, startCloudSql } from '../../support/cloud-sql/use-cloud-sql.ts';
import { createEmptyDatabase, dropDatabase } from '../../support/database.ts';
import { registerInputs, useDynamicProvider } from '../../support/dynamic-provider.ts';
import { type Login, useLogins } from '../../support/logins.ts';

/** The content of a file that `gcloud auth application-default login` writes. */
const ofUser = JSON.stringify({
  type: 'authorized_user',
  client_id: 'gcloud',
  client_secret: 'none',
  refresh_token: 'of a user',
});

describe('the credentials of the migrations on Cloud SQL', () => {
  const login = 'dlo-deployer';
  let databaseUrl = '';
  let deployer: Login;
  let cloudSql: CloudSql;
  const aLogin = useLogins(() => databaseUrl);
  before(async () => {
    databaseUrl = await createEmptyDatabase();
    deployer = await aLogin('superuser');
    cloudSql = await startCloudSql(deployer.user, deployer.url);
  });
  after(async () => {
    await cloudSql.stop();
    await dropDatabase(databaseUrl);
  });

  /** A workload identity file, whose token is exchanged for one of the deployer. */
  const aWorkload = async () => {
    const [subject, file] = ['subject', 'workload.json'].map((name) =>
      path.join(cloudSql.env.HOME ?? '', name),
    ) as [string, string];
    await writeFile(subject, 'a token of the pipeline');
    const content = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/ci/providers/ci',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: 'https://sts.googleapis.com/v1/token',
      credential_source: { file: subject },
    };
    await writeFile(file, JSON.stringify(content));
    return file;
  };

  const token = () => `token of ${deployer.user}`;
  const sources: Record<
    string,
    (config: Record<string, string>) => Promise<NodeJS.ProcessEnv> | NodeJS.ProcessEnv
  > = {
    GOOGLE_OAUTH_ACCESS_TOKEN: () => ({ GOOGLE_OAUTH_ACCESS_TOKEN: token() }),
    GOOGLE_CREDENTIALS: () => ({ GOOGLE_CREDENTIALS: ofUser }),
    'GOOGLE_CREDENTIALS with a workload identity file': async () => ({
      GOOGLE_CREDENTIALS: await aWorkload(),
    }),
    GOOGLE_APPLICATION_CREDENTIALS: async () => ({ GOOGLE_APPLICATION_CREDENTIALS: await aWorkload() }),
    GOOGLE_IMPERSONATE_SERVICE_ACCOUNT: () => ({
      GOOGLE_OAUTH_ACCESS_TOKEN: 'token of ana',
      GOOGLE_IMPERSONATE_SERVICE_ACCOUNT: deployer.user,
    }),
    'gcp:accessToken': (config) => {
      config['gcp:accessToken'] = token();
      return { GOOGLE_OAUTH_ACCESS_TOKEN: 'token of ana' };
    },
    'gcp:credentials': (config) => {
      config['gcp:credentials'] = ofUser;
      return { GOOGLE_OAUTH_ACCESS_TOKEN: 'token of ana' };
    },
    'gcp:impersonateServiceAccount': (config) => {
      config['gcp:impersonateServiceAccount'] = deployer.user;
      return { GOOGLE_OAUTH_ACCESS_TOKEN: 'token of ana' };
    },
  };

  for (const [name, prepare] of Object.entries(sources)) {
    describe(name, () => {
      const env: NodeJS.ProcessEnv = {};
      const config: Record<string, string> = {};
      before(async () => {
        Object.assign(env, cloudSql.env, { METADATA_SERVER_DETECTION: 'none' }, await prepare(config));
      });
      const provider = useDynamicProvider(() => env, config);

      it('are those of the provider', async () => {
        const { instance, database } = cloudSql;
        const location = { instance, database, user: deployer.user, ipType: 'PUBLIC' } as const;
        const { outs } = await provider().create(await registerInputs(() => new Migrations(login, location)));
        assert.ok(Array.isArray(outs.applied));
      });
    });
  }
});
