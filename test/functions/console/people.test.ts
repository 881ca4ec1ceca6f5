import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import { identifyPerson } from '../../../functions/console/identify-person.ts';
import type { Caller } from '../../../functions/identity/identify-caller.ts';
import { NotAuthorizedError } from '../../../shared/errors.ts';
import { operator, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

describe('a person', () => {
  const roles = { operators: ['ada@example.com', 'sub:42'], viewers: ['*@example.com'] };
  const roleOf = async (caller: Caller) => {
    const { isOperator } = await identifyPerson(async () => caller, roles)({} as IncomingMessage);
    return isOperator ? 'operator' : 'viewer';
  };

  for (const [name, role] of [
    ['ada@example.com', 'operator'],
    ['Ada@Example.com', 'operator'],
    ['sub:42', 'operator'],
    ['bob@example.com', 'viewer'],
  ] as const) {
    it(`called ${name} is ${role}, as configured`, async () => {
      assert.equal(await roleOf({ name, via: 'iap' }), role);
    });
  }

  it('may do everything on a machine of their own', async () => {
    assert.equal(await roleOf({ name: 'local:ada', via: 'local' }), 'operator');
  });

  for (const name of [
    'eve@evil.example',
    'eve@notexample.com',
    'sub:4',
    'ada@example.com.evil.example',
    'local:ada',
  ]) {
    it(`called ${name} has nothing to look for here`, async () => {
      await assert.rejects(roleOf({ name, via: 'google' }), /has no role here/);
    });
  }
});

describe('the console', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const foreign = useConsole(database, {
    identify: () => {
      throw new NotAuthorizedError('Say who you are.');
    },
  });
  beforeEach(() => {
    served().caller = operator;
  });
  const get = (path: string) => fetch(`${served().url}/${path}`);
  const post = (path: string, fields: Record<string, string> = {}) =>
    fetch(`${served().url}/${path}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ csrf: 'token', ...fields }),
      headers: { 'sec-fetch-site': 'same-origin', cookie: 'dlo-csrf=token' },
    });
  const acts = (id: string) => [
    'runs',
    'runs/1',
    'groups/v1%3Ax',
    'events/discard',
    'events/reopen',
    'events/reprioritise',
    `events/${id}/edit`,
    `events/${id}/reveal`,
  ];

  it('offers a viewer nothing to act with', async () => {
    const id = await anEvent(database());
    served().caller = viewer;
    for (const path of ['', 'groups', 'events', `events/${id}`, 'runs', 'targets']) {
      const page = await (await get(path)).text();
      const forms = [...page.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, action]) => action);
      assert.deepEqual([forms, /Replay…|Discard…/.test(page)], [['theme'], false], path);
    }
  });

  it('refuses every act of a viewer', async () => {
    const id = await anEvent(database());
    served().caller = viewer;
    for (const path of acts(id))
      assert.equal((await post(path, { q: `id:${id}`, reason: 'x' })).status, 403, path);

    assert.deepEqual(await database().sql('select from dlq_audit'), []);
  });

  it('refuses every act that comes from elsewhere, an operator’s too', async () => {
    const id = await anEvent(database());
    for (const path of acts(id)) assert.equal((await post(path, { csrf: 'guessed' })).status, 403, path);

    assert.deepEqual(await database().sql('select from dlq_audit'), []);
  });

  it('shows nothing to who cannot be identified, on any path', async () => {
    for (const path of ['', 'events', 'events/1/body', 'runs/new', 'nowhere']) {
      const response = await fetch(`${foreign().url}/${path}`);

      assert.equal(response.status, 401, path);
      assert.match(await response.text(), /Say who you are/);
    }
  });
});
