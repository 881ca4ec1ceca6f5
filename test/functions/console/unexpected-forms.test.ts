import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { serializeSelection } from '../../../functions/console/runs/replay-form.ts';
import { actions } from '../../../shared/events/actions/actions.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { sendForm, useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { usePubSubTarget } from '../../support/pubsub-target.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';
import { aRun } from '../../support/runs.ts';
import { sample } from '../../support/sample.ts';

describe('a form with a value that no page of the console sends', () => {
  const database = useDatabase();
  const pubsub = usePubSubTarget();
  const target = 'http://shop/';
  const routes = [aRouteTo(target)];
  const served = useConsole(database, {
    routes,
    retry: {
      ...retryConfig(),
      get continueTopic() {
        return pubsub().topic;
      },
    },
  });
  const send = (path: string, fields: Record<string, string>) => sendForm(`${served().url}/${path}`, fields);
  const reason = 'a test';
  const unexpected = ['{broken', '[]', 'null', 'a\0b', '\u{1F600}'.repeat(1500), '9'.repeat(400)];
  const forms: Record<string, Record<string, string>> = {};
  before(async () => {
    const id = await anEvent(database(), { fingerprint: 'v2:a' });
    await anEvent(database(), { fingerprint: 'v2:b' });
    await refresh(database().db);
    const { id: run } = await aRun({ db: database().db, routes }, { filter: { ids: [id] }, reason });
    const q = `id:${id}`;
    const replay = { q, target, reason, pace: 'normal' };
    Object.assign(forms, {
      groups: {
        command: 'MUTED',
        fingerprint: 'v2:a',
        mute: '1h',
        owner: 'ann',
        reason,
        back: 'groups',
      },
      'groups/v2:a/merge': { into: 'v2:b', other: '', reason },
      'groups/v2:a/split': { reason },
      ...Object.fromEntries(
        actions.map(({ name, inputs }) => [
          `events/${name}`,
          {
            ...Object.fromEntries(Object.keys(inputs).map((input) => [input, 'on'])),
            q: 'type:none',
            asOf: '2026-01-01T00:00:00Z',
            reason,
          },
        ]),
      ),
      [`events/${id}`]: { command: 'unmask', reason },
      [`events/${id}/edit`]: { payload: '{"a": 1}', headers: '{}', unmask: '1' },
      'runs/new': {
        ...replay,
        command: 'create',
        previewed: serializeSelection(replay),
        key: 'k',
        edit: '{"body": "x"}',
      },
      [`runs/${run}`]: { command: 'pause', reason },
      runs: { command: 'pause', until: '1h', reason },
      [`targets/${encodeURIComponent(target)}`]: { command: 'hold', reason },
    });
  });

  it('is answered without an unexpected error, whatever its field', async () => {
    const fields = Object.entries(forms).flatMap(([path, form]) =>
      Object.keys(form).map((field) => ({ path, form, field })),
    );
    const requests = fields.flatMap((each) => unexpected.map((value) => ({ ...each, value })));
    for (const { path, form, field, value } of sample(requests)) {
      const { status } = await send(path, { ...form, [field]: value });
      assert.ok(status < 500, `${status}: ${path} ${field}=${value.slice(0, 20)}`);
    }
  });

  it('says in words of its own what is missing', async () => {
    for (const path of [...Object.keys(forms), 'views', 'targets']) {
      const text = await (await send(path, {})).text();
      assert.doesNotMatch(text, /Invalid key|Expected|undefined/, path);
    }
  });

  it('says what is wrong with an edit that is not JSON, or not an edit', async () => {
    for (const [edit, remedy] of [
      ['{broken', /<code>edit<\/code> Must be JSON: line 1, column 2/],
      ['5', /<code>edit<\/code> Give it as an object/],
      ['{"body": 5}', /<code>edit\.body<\/code> Give text/],
    ] as const) {
      const response = await send('runs/new', { ...forms['runs/new'], edit });
      assert.equal(response.status, 400);
      assert.match(await response.text(), remedy);
    }
  });
});
