import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { type Change, changeInstance, listMissing, type SqlUser } from '../../../infra/cloud-sql.ts';
import { withGoogle } from '../../support/google.ts';

const collection = 'sqladmin.googleapis.com/sql/v1beta4/projects/acme/instances/main';
const url = (path: string) => `https://${collection}${path}`;
const own = { project: 'acme', instance: 'main' };
const admin: SqlUser = {
  name: 'ana@acme.example',
  type: 'CLOUD_IAM_USER',
  databaseRoles: ['cloudsqlsuperuser'],
};
const wanted = { instance: 'acme:eu:main', database: 'dlo', users: [admin] };

describe('an instance of Cloud SQL', () => {
  const google = withGoogle();
  let users: object[];
  let databases: string[];
  beforeEach(() => {
    [users, databases] = [[], []];
    google.requests.length = 0;
    google.answer = ({ url: asked }) => {
      const path = asked.replace(collection, '');
      if (path === '/users') return { items: users };
      return databases.includes(path) ? {} : undefined;
    };
  });
  const missing = () => listMissing(google.ask, wanted);

  it('gets a database and each login with its roles', async () => {
    assert.deepEqual(await missing(), [
      { url: url('/databases'), method: 'POST', data: { ...own, name: 'dlo' } },
      { url: url('/users'), method: 'POST', data: { ...own, ...admin } },
    ]);
  });

  it('keeps a database that exists with its events, as after a removal', async () => {
    databases = ['/databases/dlo'];
    assert.deepEqual(
      (await missing()).map((change) => change.url),
      [url('/users')],
    );
  });

  it('keeps a login that exists, such as the deployer of another deployment', async () => {
    [databases, users] = [['/databases/dlo'], [admin]];
    assert.deepEqual(await missing(), []);
  });

  it('grants a login that exists the roles that it lacks', async () => {
    const { name, type } = admin;
    [databases, users] = [['/databases/dlo'], [{ name }]];
    const query = 'name=ana%40acme.example&databaseRoles=cloudsqlsuperuser';
    assert.deepEqual(await missing(), [{ url: url(`/users?${query}`), method: 'PUT', data: { name, type } }]);
  });

  describe('is changed', () => {
    const change: Change = { url: url('/users'), method: 'POST', data: {} };

    it('once other changes are done, and until the operation is', async () => {
      const answers = [
        { error: { code: 409, message: 'Another operation was in progress.' } },
        { name: 'op', status: 'RUNNING' },
        { name: 'op', status: 'DONE' },
      ];
      google.answer = () => answers.shift();
      await changeInstance(google.ask, change);
      assert.equal(
        google.requests.at(-1),
        'GET sqladmin.googleapis.com/sql/v1beta4/projects/acme/operations/op',
      );
    });

    it('or fails with the answer that it is not there', async () => {
      google.answer = () => undefined;
      await assert.rejects(changeInstance(google.ask, change), /answered 404: Not found/);
    });

    it('or fails with the reason of Cloud SQL', async () => {
      google.answer = () => ({ error: { code: 403, message: 'The client is not authorized.' } });
      await assert.rejects(changeInstance(google.ask, change), /answered 403: The client is not authorized/);
    });
  });
});
