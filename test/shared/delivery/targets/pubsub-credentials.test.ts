import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';

// A process keeps its first client: this one must find no credentials.
const delivery = `
  import { send } from './test/support/send.ts';
  import { aPubSubDelivery } from './test/support/pubsub-delivery.ts';
  console.log(JSON.stringify(await send(aPubSubDelivery('projects/acme/topics/orders'))));`;

it('a delivery by Pub/Sub without credentials is transient, because nothing was sent', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', delivery],
    {
      cwd: path.resolve(import.meta.dirname, '../../../..'),
      env: { PATH: process.env.PATH, GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/credentials.json' },
    },
  );

  const { kind, error } = JSON.parse(stdout);
  assert.equal(kind, 'transient');
  assert.match(error, /credentials\.json/);
});
