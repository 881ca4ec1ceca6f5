import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { sqlDatabase } from '../../../infra/cloud-sql/adopt-database.ts';
import { type SqlUserInputs, sqlUser } from '../../../infra/cloud-sql/adopt-user.ts';
import { withGoogle } from '../../support/google.ts';

const collection = 'sqladmin.googleapis.com/sql/v1beta4/projects/acme/instances/main';
const instance = { project: 'acme', instance: 'main' };
const aDatabase = { ...instance, database: 'dlo' };
const aUser = (roles: readonly string[] = []): SqlUserInputs => ({
  ...instance,
  user: 'ana@acme.example',
  type: 'CLOUD_IAM_USER',
  roles,
});

describe('an instance of Cloud SQL', () => {
  const google = withGoogle();
  let users: object[];
  let databases: string[];
  let changes: unknown[];
  /** How many changes are refused, because another one is made. */
  let refusals: number;
  beforeEach(() => {
    [users, databases, changes, refusals] = [[], [], [], 0];
    const find = (path: string) => {
      if (path === '/users') return { items: users };
      return databases.includes(path) ? {} : undefined;
    };
    google.answer = ({ method, url, query, body }) => {
      const path = url.replace(collection, '');
      if (method === 'GET') return find(path);
      if (refusals-- > 0) return { error: { code: 409, message: 'Another operation was in progress.' } };
      if (path === '/users') users.push(body as object);
      else databases.push(`/databases/${(body as { name: string }).name}`);
      changes.push([method, path, Object.fromEntries(query), body]);
      return { name: 'op', status: 'DONE' };
    };
  });

  describe('gets a database', () => {
    it('that is created, once other changes to the instance are done', async () => {
      refusals = 1;
      await sqlDatabase.apply(google, aDatabase);
      const data = { ...instance, name: 'dlo' };
      assert.deepEqual(changes, [['POST', '/databases', {}, data]]);
    });

    it('that is adopted with its events if it exists, as after a removal', async () => {
      databases = ['/databases/dlo'];
      await sqlDatabase.apply(google, aDatabase);
      assert.deepEqual(changes, []);
      assert.equal(sqlDatabase.identify(aDatabase), `https://${collection}/databases/dlo`);
    });

    it('that is created again if it is gone', async () => {
      assert.equal(await sqlDatabase.hasChanged(google, aDatabase, aDatabase), true);
      await sqlDatabase.apply(google, aDatabase, aDatabase);
      assert.equal(await sqlDatabase.hasChanged(google, aDatabase, aDatabase), false);
    });

    it('that exists once the operation of Cloud SQL is done', async () => {
      const answers = [undefined, { name: 'op', status: 'RUNNING' }, { name: 'op', status: 'DONE' }];
      google.answer = () => answers.shift();
      await sqlDatabase.apply(google, aDatabase);
      assert.equal(
        google.requests.at(-1),
        'GET sqladmin.googleapis.com/sql/v1beta4/projects/acme/operations/op',
      );
    });

    it('or fails with the reason of Cloud SQL', async () => {
      google.answer = ({ method }) =>
        method === 'GET' ? undefined : { error: { code: 403, message: 'The client is not authorized.' } };
      await assert.rejects(
        sqlDatabase.apply(google, aDatabase),
        /answered 403: The client is not authorized/,
      );
    });
  });

  describe('gets a login', () => {
    const admin = aUser(['cloudsqlsuperuser']);

    it('that is created with its roles', async () => {
      await sqlUser.apply(google, admin);
      const { user: name, type, roles: databaseRoles } = admin;
      assert.deepEqual(changes, [['POST', '/users', {}, { ...instance, name, type, databaseRoles }]]);
    });

    it('that is adopted if it exists, such as the deployer of another deployment', async () => {
      users = [{ name: admin.user, databaseRoles: admin.roles }];
      await sqlUser.apply(google, admin);
      assert.deepEqual(changes, []);
    });

    it('that is granted the roles that it lacks', async () => {
      users = [{ name: admin.user }];
      await sqlUser.apply(google, admin);
      const query = { name: admin.user, databaseRoles: 'cloudsqlsuperuser' };
      assert.deepEqual(changes, [['PUT', '/users', query, { name: admin.user, type: admin.type }]]);
    });

    it('that is created again if it is gone', async () => {
      assert.equal(await sqlUser.hasChanged(google, aUser(), aUser()), true);
    });
  });
});
