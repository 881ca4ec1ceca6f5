import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { diagnosticsOf, fail, succeed, useCloud } from '../deployment.ts';
import type { Google } from '../google/google.ts';
import type { Stack } from '../stack.ts';

describe('a service agent whose address Google Cloud does not return', () => {
  const cloud = useCloud('acme-dev', 'user:ana@acme.example');
  let stack: Stack;
  let google: Google;
  before(async () => {
    ({ google } = cloud());
    stack = await cloud().stack('dev');
  });

  it('fails an update at the grants that it needs', async (t) => {
    google.withheldIdentities = 1;
    assert.match(diagnosticsOf(await fail(t, stack, 'up')), /argument "member" is required/);
  });

  it('fails the next preview, unless it is replaced', async (t) => {
    assert.match(diagnosticsOf(await fail(t, stack, 'preview')), /argument "member" is required/);
    await succeed(t, stack, 'preview', '--replace', '**::dlo-pubsub');
  });
});
