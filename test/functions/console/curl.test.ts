import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { curlCommand } from '../../../functions/console/events/message.ts';
import { readVisibleEvent } from '../../../functions/console/events/visible-event.ts';
import { operator } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';
import { useHttpTarget } from '../../support/http-target.ts';
import { aPageContext } from '../../support/role-console.ts';
import { aRouteTo, retryConfig } from '../../support/routes.ts';

const run = promisify(execFile);

describe('curl command of an event', () => {
  const database = useDatabase();
  const target = useHttpTarget();
  const compose = async (columns: Record<string, unknown>) => {
    const route = aRouteTo(target().url);
    const deps = {
      db: database().db,
      routes: [route],
      retry: retryConfig(),
      costLimit: 0,
      base: '/',
      identify: () => operator,
    };
    const id = await anEvent(database(), columns);
    return curlCommand(await readVisibleEvent(deps, aPageContext(), id), route) ?? '';
  };

  for (const [what, body] of [
    ['JSON', Buffer.from('{"a": "it\'s \\\\ \\"quoted\\" $HOME `id` !x"}')],
    ['several lines', Buffer.from("a\nb'c\n\n")],
    ['hidden characters', Buffer.from('{"a": "it\'s \u202E\\\\ 1\u200B2"}')],
    ['bytes', Buffer.from([0, 1, 255, 10, 39])],
    ['a body that looks like a file name', Buffer.from('@/etc/passwd')],
    ['an empty body', Buffer.alloc(0)],
  ] as const) {
    it(`the curl command sends the exact bytes from a shell: ${what}`, async () => {
      await run('bash', [
        '-c',
        await compose({ body, headers: JSON.stringify({ 'x-tenant': "o'neil; $(id)" }) }),
      ]);

      assert.deepEqual(target().received[0]?.body, body);
      assert.equal(target().received[0]?.headers['x-tenant'], "o'neil; $(id)");
    });
  }

  it('the curl command sends the exact bytes of a header that is not UTF-8', async () => {
    const bytes = Buffer.from("Zo\xeb's 50\\ \xff", 'latin1');
    const headers = { 'x-name': { base64: bytes.toString('base64') }, 'x-city': 'Zürich' };
    await run('bash', ['-c', await compose({ body: Buffer.from('x'), headers: JSON.stringify(headers) })]);

    const received = target().received[0]?.headers;
    assert.equal(received?.['x-name'], bytes.toString('latin1'));
    assert.equal(Buffer.from(String(received?.['x-city']), 'latin1').toString(), 'Zürich');
  });
});
