import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCaptures } from '../../../shared/capture/read-captures.ts';
import { at, deployed } from '../../support/deployment-program.ts';

const { outputs } = await deployed('prod');
const { outputs: withIap } = await deployed('full');

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Object.values(Object(value)).flatMap(listTexts);
}

describe('the outputs of a stack', () => {
  it('can be copied from the terminal, where Pulumi escapes quotes and backslashes', () => {
    const { dashboard: _json, ...copied } = outputs as Readonly<Record<string, unknown>>;
    const { dashboard: _other, ...others } = withIap as Readonly<Record<string, unknown>>;
    const texts = [copied, others].flatMap(listTexts);
    assert.ok(texts.length > 20);
    assert.deepEqual(
      texts.filter((text) => /["\\\n]/.test(text)),
      [],
    );
  });

  it('have a command that publishes a first event, of a type that capture finds', () => {
    const command = String(at(outputs, 'next', 'tryIt'));
    const published =
      /^gcloud pubsub topics publish dlo-capture --project=acme-prod --message=(\w+) --attribute=(\w+)=(\S+)$/;
    const [, text = '', attribute = '', type] = published.exec(command) ?? [];
    const message = { data: btoa(text), attributes: { [attribute]: type }, messageId: '1' };
    const body = JSON.stringify({
      message,
      subscription: 'projects/acme-prod/subscriptions/dlo-capture-push',
    });
    const [captured] = readCaptures({
      path: '/',
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(body),
    });
    assert.deepEqual([String(captured?.body), captured?.eventType], ['hello', 'test.event']);
  });
});
