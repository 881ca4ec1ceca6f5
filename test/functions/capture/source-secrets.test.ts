import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { capture } from '../../../functions/capture/capture.ts';
import { openSources } from '../../../shared/capture/sources/find-source.ts';
import { useDatabase } from '../../support/database.ts';
import { readLog } from '../../support/log-lines.ts';
import { signV2 } from '../../support/sign.ts';

const [shared, own] = ['a secret of all senders', 'a secret of the shop'];
const kept = { keepHeaders: [], withholdHeaders: [] };
const sources = [
  { name: 'shop', secret: own, ...kept },
  { name: 'crm', ...kept },
  { name: 'default', ...kept },
];

describe('a source with a secret of its own', () => {
  const database = useDatabase();
  const servers: Server[] = [];
  /** Serves capture, and returns a function that posts to one of its paths. */
  const serve = async (secrets: readonly string[]) => {
    const { db } = database();
    const limits = { repeatSeconds: 600, maxBodyBytes: 1024, maxStatements: 2 };
    const endpoint = capture({ ...limits, db, secrets, sources, watch: (work) => work() });
    const server = createServer(endpoint).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return async (path: string, secret?: string) => {
      const body = '{"n":1}';
      const type = { 'content-type': 'application/json' };
      const headers = { ...type, ...(secret && { 'dlo-signature': signV2({ secret, body }, type) }) };
      let status = 0;
      await readLog(async () => {
        ({ status } = await fetch(url + path, { method: 'POST', headers, body }));
      });
      const [row] = await database().sql<{ source_kind: string }>(
        'delete from dlq_events returning source_kind',
      );
      return row ? `${status} ${row.source_kind}` : `${status}`;
    };
  };
  let signed: Awaited<ReturnType<typeof serve>>;
  let unsigned: typeof signed;
  before(async () => {
    [signed, unsigned] = await Promise.all([serve([shared]), serve([])]);
  });
  beforeEach(() => database().clear());
  after(() => {
    for (const server of servers) server.close();
  });

  it('is signed by that secret alone', async () => {
    assert.equal(await signed('/capture/shop', own), '200 shop');
    assert.equal(await signed('/capture/shop', shared), '401');
    assert.equal(await signed('/capture', own), '401');
    assert.equal(await signed('/capture', shared), '200 default');
  });

  it('is signed even where others are not', async () => {
    assert.equal(await unsigned('/capture/shop', own), '200 shop');
    assert.equal(await unsigned('/capture/shop'), '401');
    assert.equal(await unsigned('/capture/crm'), '200 crm');
  });

  it('is the only one that a path names where captures are signed: no signature covers the path', async () => {
    assert.equal(await signed('/capture/crm', shared), '200 default');
  });
});

describe('the path of a request', () => {
  const find = (path: string, isSigned = false) => {
    const { source, path: rest } = openSources(sources, isSigned)(path);
    return [source?.name, rest];
  };

  it('names a source, and what is behind its name is the path of the message', () => {
    for (const path of ['/capture/crm', '/crm', '//capture//crm']) assert.deepEqual(find(path), ['crm', '/']);
    assert.deepEqual(find('/capture/crm/orders/7'), ['crm', '/orders/7']);
    assert.deepEqual(find('/capture/crm', true), ['default', '/capture/crm']);
  });

  it('is that of the default source as a whole', () => {
    for (const path of ['/', '/capture', '/capture/default', '/capture/orders/7', '/captured/crm'])
      assert.deepEqual(find(path), ['default', path]);
    assert.deepEqual(openSources([])('/capture/crm'), { source: undefined, path: '/capture/crm' });
  });
});
