import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { apis } from '../../infra/apis.ts';
import {
  apiPermission,
  apiRole,
  databasePermissions,
  iapPermissions,
  requiredPermissions,
} from '../../infra/deployer/required-permissions.ts';
import type { Check, Checked } from '../support/check-stack.ts';
import { useForked } from '../support/forked.ts';
import { type GoogleAnswer, type GoogleRequest, useGoogle } from '../support/google.ts';

const root = path.resolve(import.meta.dirname, '../..');
const namespace = 'dead-letter-office';
const all = [
  ...Object.values(requiredPermissions),
  ...Object.values(databasePermissions),
  apiPermission as string,
];

type Options = {
  readonly env?: Record<string, string>;
  readonly own?: Record<string, string>;
  readonly gcp?: Record<string, string>;
  readonly isPreview?: boolean;
};

describe('before the first resource, the deployer', () => {
  const google = useGoogle();
  const token = { GOOGLE_OAUTH_ACCESS_TOKEN: 'token of ana@acme.example' };
  const send = useForked<Check, Checked>('check-stack.ts', () => google().env);

  function check({ env = token, own = {}, gcp = {}, isPreview = false }: Options = {}): Promise<Checked> {
    const settings = { deployer: 'user:ana@acme.example', ...own };
    const given = Object.entries(settings).map(([key, value]) => [`${namespace}:${key}`, value]);
    const values = { 'gcp:project': 'acme-test', ...gcp, ...Object.fromEntries(given) };
    return send({ stack: { namespace, values, secretKeys: [] }, isPreview, env });
  }

  /** Google, for deployers with these permissions, in a project with these APIs. */
  const grant =
    (permissions: readonly string[], enabled: readonly string[] = []) =>
    ({ url, token: own, body }: GoogleRequest): GoogleAnswer | undefined => {
      if (url === 'oauth2.googleapis.com/tokeninfo') {
        return { email: own.replace('token of ', ''), scope: 'email', expires_in: 3600 };
      }
      if (url.endsWith(':testIamPermissions')) {
        const asked = (body as { permissions: string[] }).permissions;
        return { permissions: asked.filter((permission) => permissions.includes(permission)) };
      }
      if (!url.endsWith('/services:batchGet')) return undefined;
      const services = apis.map((api) => ({
        name: `projects/1/services/${api}`,
        state: enabled.includes(api) ? 'ENABLED' : 'DISABLED',
      }));
      return { services };
    };

  it('is accepted with its credentials and all permissions', async () => {
    google().answer = grant(all);
    assert.deepEqual(await check(), { problems: [], warnings: [] });
  });

  it('is refused without credentials, with the ways to get some', async () => {
    const { problems } = await check({ env: {} });
    assert.deepEqual(
      problems.map(({ field }) => field),
      ['Google credentials'],
    );
    assert.match(
      String(problems[0]?.remedy),
      /Could not load the default credentials.*gcloud auth application-default/,
    );
  });

  it('is refused with an expired token', async () => {
    const answer = grant(all);
    google().answer = (request) =>
      request.url.endsWith('/tokeninfo')
        ? { error: { code: 400, message: 'Invalid Value' } }
        : answer(request);
    const { problems } = await check();
    assert.deepEqual(
      problems.map(({ field }) => field),
      ['Google credentials'],
    );
  });

  it('is refused with the credentials of another account, since it could not log in to the database', async () => {
    google().answer = grant(all);
    const own = { deployer: 'serviceAccount:deploy@acme-test.iam.gserviceaccount.com' };
    const { problems } = await check({ own });
    assert.equal(problems[0]?.field, 'deployer');
    assert.match(
      String(problems[0]?.remedy),
      /those of ana@acme\.example.* deployer user:ana@acme\.example$/,
    );
    const email = 'deploy@acme-test.iam.gserviceaccount.com';
    const impersonating = { 'gcp:impersonateServiceAccount': email };
    google().answer = (request) =>
      request.url.endsWith(`${email}:generateAccessToken`)
        ? { accessToken: `token of ${email}`, expireTime: new Date(Date.now() + 3_600_000) }
        : grant(all)(request);
    assert.deepEqual(await check({ own, gcp: impersonating }), { problems: [], warnings: [] });
  });

  it('may be any account if the database is not on Cloud SQL', async () => {
    google().answer = grant(all);
    const names = ['capture', 'retry', 'replay', 'console', 'maintain'];
    const urls = Object.fromEntries(names.map((name) => [name, 'postgres://10.0.0.2/events']));
    const own = {
      deployer: 'user:ben@acme.example',
      databaseUrls: JSON.stringify(urls),
      maxConnections: '100',
    };
    const { problems } = await check({ own });
    // Only that the URLs are not encrypted.
    assert.deepEqual(
      problems.map(({ field }) => field),
      ['databaseUrls'],
    );
  });

  it('is refused without a role, with the roles and the permissions that were looked for', async () => {
    google().answer = grant(all.filter((each) => !/^(pubsub|cloudsql)\./.test(each)));
    const { problems } = await check();
    const remedies = problems.map(({ remedy }) => remedy).join('\n');
    assert.match(remedies, /lacks roles\/pubsub\.admin \(pubsub\.topics\.create\)\. Grant/);
    assert.match(remedies, /lacks roles\/cloudsql\.admin \(cloudsql\.instances\.login\)\. Grant/);
  });

  it('is refused in the project of an existing instance, if it may not log in there', async () => {
    const answer = grant(all);
    google().answer = (request) =>
      request.url.includes('/acme-shared:') ? { permissions: [] } : answer(request);
    const own = { existingInstance: 'acme-shared:europe-west1:main', maxConnections: '100' };
    const { problems } = await check({ own });
    assert.deepEqual(
      problems.map(({ value }) => value),
      ['acme-shared'],
    );
  });

  it('is refused if it may not enable an API that is not enabled', async () => {
    const permissions = all.filter((each) => each !== apiPermission);
    google().answer = grant(permissions, apis.slice(2));
    const { problems } = await check();
    assert.match(
      String(problems[0]?.remedy),
      /may not enable artifactregistry\.googleapis\.com, cloudbuild\.googleapis\.com\. Enable them, or grant/,
    );
    const answer = grant(permissions, apis);
    let failures = 1;
    google().answer = (request) =>
      request.method === 'GET' && failures-- > 0
        ? { error: { code: 503, message: 'Unavailable for a moment.' } }
        : answer(request);
    assert.deepEqual(await check(), { problems: [], warnings: [] });
  });

  it('is not refused if Google cannot tell, as in a new project, with a warning', async () => {
    google().answer = () => ({
      error: { code: 403, message: 'Cloud Resource Manager API has not been used.' },
    });
    const { problems, warnings } = await check();
    assert.deepEqual(problems, []);
    assert.match(warnings.join('\n'), /permissions on acme-test were not checked: .*has not been used/);
  });

  it('is reported together with invalid settings', async () => {
    const { problems } = await check({
      env: {},
      own: { schedule: '99 99 * * *', deployer: 'user:Ana@Acme.Example' },
    });
    assert.deepEqual(problems.map(({ field }) => field).sort(), [
      'Google credentials',
      'deployer',
      'schedule',
    ]);
  });

  it('is only warned of in a preview, which runs without credentials, too', async () => {
    const { problems, warnings } = await check({ env: {}, isPreview: true });
    assert.deepEqual(problems, []);
    assert.match(warnings[0] ?? '', /^The update will be refused: Google credentials: /);
  });
});

describe('docs/deploy.md', () => {
  it('lists the roles that the deployer needs', () => {
    const guide = readFileSync(path.join(root, 'docs/deploy.md'), 'utf8');
    const [, table = ''] = guide.split('**A deployer**');
    const listed = [...(table.split('\n\n')[1] ?? '').matchAll(/`(roles\/[^`]+)`/g)].map(([, role]) => role);
    const needed = [
      ...Object.keys(requiredPermissions),
      ...Object.keys(databasePermissions),
      ...Object.keys(iapPermissions),
      apiRole,
    ];
    assert.deepEqual(listed.sort(), [...new Set(needed)].sort());
  });
});
