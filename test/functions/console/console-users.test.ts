import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { beforeEach, describe, it } from 'node:test';
import type { Caller } from '../../../functions/identity/identify-caller.ts';
import { identifyUser } from '../../../functions/identity/identify-user.ts';
import { NotAuthorizedError } from '../../../shared/errors.ts';
import { stopEverything } from '../../../shared/targets/change-hold.ts';
import { operator, sendForm, useConsole, viewer } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { readLog } from '../../support/log-lines.ts';
import { aRouteTo } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';

describe('console roles', () => {
  const roles = { operators: ['ada@example.com', 'sub:42'], viewers: ['*@example.com'] };
  const roleOf = async (caller: Caller) => {
    const { isOperator } = await identifyUser(async () => caller, roles)({} as IncomingMessage);
    return isOperator ? 'operator' : 'viewer';
  };

  for (const [name, role] of [
    ['ada@example.com', 'operator'],
    ['Ada@Example.com', 'operator'],
    ['sub:42', 'operator'],
    ['bob@example.com', 'viewer'],
  ] as const) {
    it(`the role of ${name} is ${role}, as configured`, async () => {
      assert.equal(await roleOf({ name, via: 'iap' }), role);
    });
  }

  it('a local caller is an operator', async () => {
    assert.equal(await roleOf({ name: 'local:ada', via: 'local' }), 'operator');
  });

  for (const name of [
    'eve@evil.example',
    'eve@notexample.com',
    'sub:4',
    'ada@example.com.evil.example',
    'local:ada',
  ]) {
    it(`a caller named ${name} is rejected`, async () => {
      await assert.rejects(roleOf({ name, via: 'cloud-run' }), /has no role in this console/);
    });
  }
});

describe('console roles of groups, whose members Identity-Aware Proxy admits', () => {
  const roles = { operators: ['ada@example.com', '*'], viewers: ['*'] };
  const ben = { name: 'ben@example.com', via: 'iap' } as const;
  const roleOf = (caller: Caller, isForOperators: boolean) =>
    identifyUser(async () => caller, { ...roles, isForOperators })({} as IncomingMessage);

  it('a user that it admits to the pages of operators is an operator there', async () => {
    assert.deepEqual(await roleOf(ben, true), { ...ben, isOperator: true });
  });

  it('the same user may only look at the other pages, which name the ones for operators', async () => {
    assert.deepEqual(await roleOf(ben, false), { ...ben, isOperator: false, operatorPath: 'operator/' });
  });

  it('a user is a viewer only if operators are named', async () => {
    const identify = identifyUser(async () => ben, { operators: ['ada@example.com'], viewers: ['*'] });
    assert.deepEqual(await identify({} as IncomingMessage), { ...ben, isOperator: false });
    const onPath = { operators: ['ada@example.com'], viewers: ['*'], isForOperators: true };
    assert.equal((await identifyUser(async () => ben, onPath)({} as IncomingMessage)).isOperator, false);
  });

  it('a caller that came by another way is rejected', async () => {
    await assert.rejects(roleOf({ ...ben, via: 'cloud-run' }, true), /has no role in this console/);
  });
});

describe('console permissions', () => {
  const database = useDatabase();
  const served = useConsole(database);
  const routes = [aRouteTo('http://shop/')];
  const routed = useConsole(database, { routes });
  const foreign = useConsole(database, {
    identify: () => {
      throw new NotAuthorizedError('Sign in first.');
    },
  });
  beforeEach(() => {
    served().caller = operator;
  });
  const get = (path: string) => fetch(`${served().url}/${path}`);
  const post = (path: string, fields: Record<string, string> = {}) =>
    sendForm(`${served().url}/${path}`, fields);
  const actions = (id: string) => [
    'runs',
    'runs/new',
    'runs/1',
    'groups',
    'groups/v1%3Ax',
    'groups/v1%3Ax/merge',
    'targets',
    'targets/x',
    'views',
    'events/discard',
    'events/reopen',
    'events/reprioritize',
    `events/${id}/edit`,
    `events/${id}`,
    'activity/1/undo',
  ];

  it('pages lead a user who may be an operator to the same page for operators', async () => {
    served().caller = { ...viewer, operatorPath: 'operator/' };
    assert.match(await (await get('events?q=type:a')).text(), /href="operator\/events\?q=type%3Aa"/);
  });

  it('rejected requests are logged, with the name of an identified caller', async () => {
    const [unidentified] = await readLog(() => fetch(foreign().url));
    assert.equal(unidentified?.severity, 'WARNING');
    assert.equal(unidentified?.message, 'Request rejected. Sign in first.');
    const [viewing] = await readLog(async () => {
      served().caller = viewer;
      await post('events/discard');
    });
    assert.match(String(viewing?.message), /^Request rejected\. You have the viewer role/);
  });

  it('pages of a viewer contain no action', async () => {
    const id = await anEvent(database());
    const deps = { db: database().db, routes };
    const run = await aRun(deps, { filter: { ids: [id] } });
    await stopEverything(deps, { actor: 'ada', reason: 'an incident' });
    routed().caller = viewer;
    const lists = ['groups', 'events', 'events?q=type:order.*', 'runs', 'targets', 'activity'];
    const ones = [
      'groups/v1%3A0123456789abcdef',
      `events/${id}`,
      `runs/${run.id}`,
      'targets/http%3A%2F%2Fshop%2F',
    ];
    for (const path of ['', ...lists, ...ones]) {
      const response = await fetch(`${routed().url}/${path}`);
      const page = await response.text();
      const forms = [...page.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, action]) => action);
      const found = /Replay…|Discard…|Undo…|Start again…|the schedule now…|You have the viewer role/.exec(
        page,
      );
      assert.deepEqual([response.status, forms, found?.[0]], [200, [], undefined], path);
    }
    await database().clear();
  });

  it('a viewer sees the preview of an action, and an operator to ask in place of its form', async () => {
    const id = await anEvent(database());
    served().caller = viewer;
    for (const path of [`runs/new?q=id:${id}`, `events/discard?q=id:${id}`, `events/${id}/edit`]) {
      const page = await (await get(path)).text();
      assert.match(page, /Replay 0 events|Discard 1 event|Edit and replay/, path);
      assert.match(page, /ask an operator to open this page/, path);
      assert.doesNotMatch(page, /method="post"|name="reason"/, path);
    }
  });

  it('every action of a viewer is rejected', async () => {
    const id = await anEvent(database());
    served().caller = viewer;
    for (const path of actions(id))
      assert.equal((await post(path, { q: `id:${id}`, reason: 'x' })).status, 403, path);

    assert.deepEqual(await database().sql('select from dlq_audit'), []);
  });

  it('every cross-site action is rejected, also of an operator', async () => {
    const id = await anEvent(database());
    for (const path of actions(id)) {
      const request = { method: 'POST', body: new URLSearchParams({ q: `id:${id}`, reason: 'x' }) };
      const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
      assert.equal((await fetch(`${served().url}/${path}`, { ...request, headers })).status, 403, path);
    }

    assert.deepEqual(await database().sql('select from dlq_audit'), []);
  });

  it('an unidentified caller sees an error on every path', async () => {
    for (const path of ['', 'events', 'events/1/body', 'runs/new', 'nowhere']) {
      const response = await fetch(`${foreign().url}/${path}`);

      assert.equal(response.status, 401, path);
      assert.match(await response.text(), /Sign in first/);
    }
  });
});
