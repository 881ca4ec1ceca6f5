import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSignature, verifySignature } from '../../../functions/capture/signature.ts';
import { NotAuthorizedError } from '../../../shared/errors.ts';
import { signV1, signV2 } from '../../support/sign.ts';

const secret = 'a secret of a bridge';
const body = Buffer.from('{"orderId": 1}');
const time = 1_772_358_000;

type Sent = {
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
  readonly secrets?: string[];
};

const check = (header: string | undefined, sent: Sent = {}, now = time) => {
  const rawHeaders = Object.entries({ Host: 'localhost', ...sent.headers }).flat();
  const signature = readSignature(header, now);
  verifySignature(sent.secrets ?? [secret], signature, { rawHeaders, body: sent.body ?? body });
};
const reject = (...sent: Parameters<typeof check>) => assert.throws(() => check(...sent), NotAuthorizedError);

describe('a signed request', () => {
  it('is accepted within five minutes of its time', () => {
    for (const at of [time - 300, time, time + 300]) check(signV1({ secret, time: at, body }));
  });

  it('is rejected by its headers alone if its time differs by more than five minutes', () => {
    for (const at of [time - 301, time + 301]) {
      assert.throws(() => readSignature(signV1({ secret, time: at, body }), time), NotAuthorizedError);
    }
  });

  it('is rejected by its headers alone without a well-formed signature', () => {
    const digest = 'f'.repeat(64);
    const signed = signV1({ secret, time, body });
    for (const header of [
      undefined,
      '',
      't=1',
      `t=${time}`,
      `t=${time},`,
      `t=${time},v1=ff`,
      `t=${time},v3=${digest}`,
      `t=${time},v2=${digest},v1=${digest}`,
      `t=${time},v1=${digest}\n`,
      `t=${time},v1=${digest},v1=${digest}`,
      `${signed}, ${signed}`,
      signed.toUpperCase(),
    ]) {
      assert.throws(() => readSignature(header, time), NotAuthorizedError, header);
    }
  });

  it('is rejected if the body or the time was changed', () => {
    const other = Buffer.from('{"orderId": 2}');
    for (const sign of [signV1, signV2]) {
      reject(sign({ secret, time, body }), { body: other });
      reject(sign({ secret, time, body }).replace(`${time}`, `${time + 1}`));
    }
  });

  it('is accepted under each of two secrets during rotation', () => {
    const old = signV2({ secret: 'the secret before it', time, body });
    check(old, { secrets: [secret, 'the secret before it'] });
    reject(old);
  });
});

describe('a signature of version 2', () => {
  const headers = { 'ce-id': '1', 'content-type': 'text/plain; a=ä', 'dlo-key': 'k', 'idempotency-key': 'i' };
  const latin1 = (text: string) => Buffer.from(text).toString('latin1');
  const sent = (changes: Record<string, string> = {}) => ({
    headers: Object.fromEntries(
      Object.entries({ 'X-Other': 'o', ...headers, ...changes }).map(([name, value]) => [
        name,
        latin1(value),
      ]),
    ),
  });
  const signed = signV2({ secret, time, body }, headers);

  it('covers the headers that say what the event is, and no others', () => {
    check(signed, sent());
    check(signed, sent({ 'X-Other': 'changed', 'event-id': 'added' }));
    for (const name of [...Object.keys(headers), 'content-encoding', 'ce-type', 'dlo-event-id']) {
      reject(signed, sent({ [name]: 'changed' }));
    }
  });

  it('is rejected if a covered header is missing or repeated', () => {
    reject(signed, { headers: { 'ce-id': '1' } });
    reject(signed, { headers: { ...sent().headers, 'Ce-Id': '1' } });
  });

  it('counts, and not that of version 1 beside it', () => {
    const v2 = signed.replace(`t=${time},`, '');
    check(`${signV1({ secret: 'another secret of it', time, body })},${v2}`, sent());
    reject(`${signV1({ secret, time, body })},v2=${'0'.repeat(64)}`, sent());
  });

  it('does not pass for version 1 with the headers as part of the body', () => {
    const digest = (signature: string) => signature.replace(/.*v2=/, '');
    const joined = Buffer.from(`ce-id:1\n.${body}`);
    reject(`t=${time},v1=${digest(signV2({ secret, time, body }, { 'ce-id': '1' }))}`, { body: joined });
    reject(`t=${time},v1=${digest(signV2({ secret, time, body }))}`, { body: Buffer.from(`.${body}`) });
  });
});
