import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openResource } from '../../../infra/dynamic/dynamic-code.ts';
import type { Create, Created } from '../../support/create-dynamic.ts';
import { allOwn, deployed } from '../../support/deployment-program.ts';
import { useForked } from '../../support/forked.ts';
import { useGoogle, withGoogle } from '../../support/google.ts';

const ana = 'user:ana@acme.example';
const robot = 'deploy@acme-test.iam.gserviceaccount.com';

describe('before the first resource, the name of a deployment', () => {
  it('is refused if another deployment of its project has it, until it is its own', async () => {
    const google = withGoogle();
    google.answer = ({ url }) => (url.endsWith('/projects/acme-test/topics/dlo-capture') ? {} : undefined);
    const open = (name: string) => {
      const settings = { project: 'acme-test', name };
      return openResource({ kind: 'Origin', settings, accessToken: 'theirs', options: {} }, google);
    };
    await assert.rejects(open('dlo').apply(), /has projects\/acme-test\/topics\/dlo-capture\. Set a name/);
    await open('eu').apply();
    await open('dlo').apply({ settings: { project: 'acme-test', name: 'dlo' } });
  });

  it('is accepted where its topics cannot be read, as before their API is enabled', async () => {
    const google = withGoogle();
    google.answer = () => ({ error: { code: 403, message: 'Cloud Pub/Sub API has not been used' } });
    const inputs = { kind: 'Origin', settings: { project: 'acme-test', name: 'dlo' } } as const;
    await openResource({ ...inputs, accessToken: 'theirs', options: {} }, google).apply();
  });
});

describe('before the first resource, the deployer', () => {
  const google = useGoogle();
  const send = useForked<Create, Created>('create-dynamic.ts', () => google().env);
  const create = (deployer: string, owner = 'ana@acme.example') => {
    const accessToken = `token of ${owner}`;
    return send({ inputs: { kind: 'Origin', settings: {}, deployer, accessToken, options: {} } });
  };
  const answer = () => {
    google().answer = ({ url, token }) =>
      url === 'oauth2.googleapis.com/tokeninfo' ? { email: token.replace('token of ', '') } : undefined;
  };

  it('is accepted with its credentials', async () => {
    answer();
    assert.deepEqual(await create(ana), {});
    assert.deepEqual(await create(ana, 'Ana@acme.example'), {});
  });

  it('is refused with the credentials of another account, since it could not log in to the database', async () => {
    answer();
    const { failure } = await create(`serviceAccount:${robot}`);
    assert.match(String(failure), /those of ana@acme\.example.* deployer user:ana@acme\.example$/);
    assert.deepEqual(await create(`serviceAccount:${robot}`, robot), {});
  });

  it('is accepted where Google does not report whose the credentials are', async () => {
    google().answer = () => ({ error: { code: 400, message: 'Invalid Value' } });
    assert.deepEqual(await create(ana), {});
  });

  it('is checked again if it changes, and not if the database is not on Cloud SQL', async () => {
    const before = {
      kind: 'Origin',
      settings: {},
      deployer: ana,
      accessToken: 'theirs',
      options: {},
    } as const;
    const compare = async (news: object) => {
      const resource = openResource({ ...before, ...news });
      await resource.check(before);
      return (await resource.diff(before)).changes;
    };
    assert.equal(await compare({}), false);
    assert.equal(await compare({ deployer: 'user:b@c.de' }), true);
    const [made] = allOwn(await deployed('elsewhere'), 'Origin');
    assert.equal(made?.inputs.deployer, undefined);
  });
});
