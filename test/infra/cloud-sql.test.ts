import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SqlDatabase } from '../../infra/cloud-sql/sql-database.ts';
import { SqlUser } from '../../infra/cloud-sql/sql-user.ts';
import { registerInputs, useDynamicProvider } from '../support/dynamic-provider.ts';
import { type GoogleRequest, useGoogle } from '../support/google.ts';

const collection = 'sqladmin.googleapis.com/sql/v1beta4/projects/acme/instances/main';
const operations = 'sqladmin.googleapis.com/sql/v1beta4/projects/acme/operations';

describe('an instance of Cloud SQL', () => {
  const google = useGoogle();
  const provider = useDynamicProvider(() => ({ ...google().env, GOOGLE_OAUTH_ACCESS_TOKEN: 'ana' }));
  const aDatabase = () =>
    registerInputs(() => new SqlDatabase('events', { project: 'acme', instance: 'main', database: 'dlo' }));
  const aUser = (roles: readonly string[] = []) =>
    registerInputs(
      () =>
        new SqlUser('deployer', {
          project: 'acme',
          instance: 'main',
          user: 'ana@acme.example',
          type: 'CLOUD_IAM_USER',
          roles,
        }),
    );

  /** Cloud SQL, with databases and users that requests add to; the first requests meet another change to the instance. */
  const serve = (users: object[] = [], { databases = [] as string[], busy = 0 } = {}) => {
    const changes: unknown[] = [];
    let refusals = busy;
    const read = (path: string): object | undefined => {
      if (path === '/users') return { items: users };
      return databases.some((name) => path === `/databases/${name}`) ? { name: 'dlo' } : undefined;
    };
    const change = ({ method, url, query, body }: GoogleRequest) => {
      if (refusals-- > 0)
        return { error: { code: 409, message: 'Another operation was already in progress.' } };
      const path = url.replace(collection, '');
      if (path === '/users') users.push(body as object);
      else databases.push((body as { name: string }).name);
      changes.push([method, path, Object.fromEntries(query), body]);
      return { name: 'op', status: 'RUNNING' };
    };
    google().answer = (request) => {
      if (request.url.startsWith(operations)) return { name: 'op', status: 'DONE' };
      return request.method === 'GET' ? read(request.url.replace(collection, '')) : change(request);
    };
    return changes;
  };

  describe('gets a database', () => {
    it('that is created, once other changes to the instance are done', async () => {
      const changes = serve([], { busy: 1 });
      await provider().create(await aDatabase());
      const data = { project: 'acme', instance: 'main', name: 'dlo' };
      assert.deepEqual(changes, [['POST', '/databases', {}, data]]);
      assert.ok(google().requests.some((request) => request === `GET ${operations}/op`));
    });

    it('that is adopted with its events if it exists, as after a removal', async () => {
      const changes = serve([], { databases: ['dlo'] });
      const { id } = await provider().create(await aDatabase());
      assert.equal(id, `https://${collection}/databases/dlo`);
      assert.deepEqual(changes, []);
    });

    it('that is created again if it is gone', async () => {
      serve();
      const inputs = await aDatabase();
      assert.deepEqual(await provider().diff(inputs, inputs), { changes: true, replaces: [] });
      await provider().update(inputs, inputs);
      assert.deepEqual(await provider().diff(inputs, inputs), { changes: false, replaces: [] });
    });

    it('or fails with the reason of Cloud SQL', async () => {
      google().answer = ({ method }) =>
        method === 'GET' ? undefined : { error: { code: 403, message: 'The client is not authorized.' } };
      await assert.rejects(
        provider().create(await aDatabase()),
        /answered 403: The client is not authorized/,
      );
    });
  });

  describe('gets a login', () => {
    it('that is created with its roles', async () => {
      const changes = serve();
      await provider().create(await aUser(['cloudsqlsuperuser']));
      assert.deepEqual(changes, [
        [
          'POST',
          '/users',
          {},
          {
            project: 'acme',
            instance: 'main',
            name: 'ana@acme.example',
            type: 'CLOUD_IAM_USER',
            databaseRoles: ['cloudsqlsuperuser'],
          },
        ],
      ]);
    });

    it('that is adopted if it exists, such as the deployer of another deployment', async () => {
      const changes = serve([{ name: 'ana@acme.example', databaseRoles: ['cloudsqlsuperuser'] }]);
      await provider().create(await aUser(['cloudsqlsuperuser']));
      assert.deepEqual(changes, []);
    });

    it('that is granted the roles that it lacks', async () => {
      const changes = serve([{ name: 'ana@acme.example' }]);
      await provider().create(await aUser(['cloudsqlsuperuser']));
      assert.deepEqual(changes, [
        [
          'PUT',
          '/users',
          { name: 'ana@acme.example', databaseRoles: 'cloudsqlsuperuser' },
          { name: 'ana@acme.example', type: 'CLOUD_IAM_USER' },
        ],
      ]);
    });

    it('that is kept when it is removed, since PostgreSQL does not drop users with privileges', async () => {
      const changes = serve();
      await provider().delete(await aUser());
      await provider().delete(await aDatabase());
      assert.deepEqual([changes, google().requests], [[], []]);
    });

    it('that is created again if it is gone', async () => {
      serve();
      const inputs = await aUser();
      assert.deepEqual(await provider().diff(inputs, inputs), { changes: true, replaces: [] });
    });
  });
});
