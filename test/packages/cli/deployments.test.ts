import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openApi } from '../../../packages/cli/api/api.ts';
import { getIdentityToken } from '../../../packages/cli/api/identity-token.ts';
import { readSettings } from '../../../packages/cli/settings.ts';
import { describeOperations, useCommandLine } from '../../support/cli/command-line.ts';
import { findFreePort } from '../../support/free-port.ts';
import { useServer } from '../../support/server.ts';

describe('the deployment of dlo', () => {
  let folder = '';
  let answer: RequestListener;
  const url = useServer((request, response) => answer(request, response));
  before(() => {
    folder = mkdtempSync(path.join(process.env.DLO_TEST_FOLDER ?? '', 'dlo-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const dlo = useCommandLine(url);
  const signal = new AbortController().signal;
  const writeStacks = (stacks: unknown) => {
    const file = path.join(folder, 'dlo.json');
    writeFileSync(file, JSON.stringify(stacks));
    return { DLO_CONFIG: file };
  };
  const writeGcloud = (script: string) => {
    writeFileSync(path.join(folder, 'gcloud'), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(folder, 'gcloud'), 0o755);
    return { PATH: `${folder}:/usr/bin:/bin` };
  };

  it('is the one of npm start without any setting', async () => {
    assert.deepEqual(await readSettings({ env: { DLO_CONFIG: '/none' } }), {
      url: 'http://localhost:8080/replay',
      console: 'http://localhost:8080/console',
      isLocal: true,
    });
  });

  it('is the one that --url, DLO_URL, --stack or DLO_STACK names, in this order', async () => {
    const prod = { replay: 'https://prod.example', console: 'https://console.example' };
    const env = writeStacks({ prod, dev: { replay: 'https://dev.example' } });
    const find = async (given: Parameters<typeof readSettings>[0]) => (await readSettings(given)).url;
    assert.equal(await find({ env: { ...env, DLO_STACK: 'prod' } }), 'https://prod.example/replay');
    assert.equal(
      await find({ env: { ...env, DLO_STACK: 'prod' }, stack: 'dev' }),
      'https://dev.example/replay',
    );
    const both = { ...env, DLO_STACK: 'prod', DLO_URL: 'https://else.example/api/' };
    assert.equal(await find({ env: both }), 'https://else.example/api');
    assert.equal(await find({ env: both, stack: 'dev' }), 'https://dev.example/replay');
    assert.equal(await find({ env: both, url: 'http://localhost:1' }), 'http://localhost:1/replay');
    const unset = { ...env, DLO_STACK: '', DLO_URL: '' };
    assert.equal(await find({ env: unset }), 'http://localhost:8080/replay');
  });

  it('is known, or the message lists those that are', async () => {
    const env = writeStacks({ dev: { replay: 'https://dev.example' } });
    const { exitCode, stderr } = await dlo(['errors', '--stack', 'prd'], { env });
    assert.equal(exitCode, 2);
    assert.match(stderr, /dlo\.json has no stack "prd" with an address "replay"\. Its stacks: dev\.\n$/);
    const whole = writeStacks({ prod: { urls: { replay: 'https://prod.example' } } });
    await assert.rejects(readSettings({ env: whole, stack: 'prod' }), /no stack "prod" with an address/);
    const { stderr: said } = await dlo(['errors', '--url', 'prod.example'], { env });
    assert.match(said, /^"prod\.example" is no address of a replay function, such as /);
    for (const url of [
      'ftp://prod.example',
      'https://ann:secret@prod.example',
      'https://prod.example/?a',
      'https://prod.example/#a',
    ])
      await assert.rejects(readSettings({ env, url }), /is no address of a replay function, such as /);
  });

  it('gets the identity token of gcloud, or that of DLO_TOKEN', async () => {
    const env = writeGcloud('[ "$*" = "auth print-identity-token" ] && echo a-token');
    assert.equal(await getIdentityToken(env), 'a-token');
    assert.equal(await getIdentityToken({ ...env, DLO_TOKEN: 'mine' }), 'mine');
    await assert.rejects(
      getIdentityToken({ ...env, DLO_TOKEN: 'mine\nyours' }),
      /is no identity token: a space/,
    );
  });

  it('says how to sign in if gcloud has no token, and how to install it', async () => {
    const unsigned = writeGcloud('echo "You do not currently have an active account selected." >&2; exit 1');
    await assert.rejects(getIdentityToken(unsigned), /no identity token: You do not .*\n.*gcloud auth login/);
    await assert.rejects(getIdentityToken({ PATH: '/none' }), /^CommandError: gcloud is not installed\./);
  });

  it('is asked for nothing by an argument that would change the path of an operation', async () => {
    answer = (_, response) => response.writeHead(200).end('{}');
    for (const command of [
      ['show', ''],
      ['watch', '.'],
      ['pause', '..', '--reason', 'x'],
      ['hold', '..', '--reason', 'x'],
    ]) {
      const { exitCode, stderr } = await dlo(command);
      assert.equal(exitCode, 2);
      assert.match(stderr, /^"\.{0,2}" is no (id|target): copy it from a list\.\n$/);
    }
  });

  it('gets a new token when the first one has expired', async () => {
    const tokens = ['old', 'new'];
    const seen: unknown[] = [];
    answer = ({ headers: { authorization } }, response) => {
      seen.push(authorization);
      const isNew = authorization === 'Bearer new';
      response.writeHead(isNew ? 200 : 401, { 'content-type': 'application/json' }).end('{"items": []}');
    };
    const getToken = async () => tokens.shift() ?? '';
    const api = openApi({ operations: await describeOperations(), url: url(), getToken, signal });
    assert.deepEqual(await api.call('listRuns'), { items: [] });
    assert.deepEqual(seen, ['Bearer old', 'Bearer new']);
  });

  it('that does not admit the user, or is not there, ends the command with 3', async () => {
    const problem = { status: 403, title: 'Forbidden', detail: 'ann has no role in this console.' };
    answer = (_, response) =>
      response.writeHead(403, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
    const forbidden = await dlo(['runs']);
    assert.deepEqual([forbidden.exitCode, forbidden.stderr], [3, 'ann has no role in this console.\n']);
    const absent = await dlo(['runs', '--url', `http://127.0.0.1:${await findFreePort()}`]);
    assert.equal(absent.exitCode, 3);
    assert.match(
      absent.stderr,
      /^http:\/\/127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED\n.*--url, --stack/,
    );
  });

  it('that is another function is named by its address', async () => {
    const problem = { status: 405, title: 'Method Not Allowed', detail: 'Use POST.' };
    answer = (_, response) =>
      response.writeHead(405, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
    const { exitCode, stderr } = await dlo(['runs']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^HTTP 405 of http:\/\/127\.0\.0\.1:\d+\/.*runs.*: .*Use POST\./);
  });

  it('that answers with a page, such as a console or a login, is named in a line', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>');
    for (const command of [['runs'], ['export'], ['watch', '1']]) {
      const { exitCode, stdout, stderr } = await dlo(command);
      assert.deepEqual([exitCode, stdout], [1, '']);
      assert.match(stderr, /^HTTP 200 of http:\S+ is a page: name the address of the function replay\.\n$/);
    }
  });

  it('that is another service, or a broken one, is named by what it answered', async () => {
    const problem = 'application/problem+json';
    const answers: readonly (readonly [status: number, text: string, said: RegExp, type?: string])[] = [
      [200, '', /is no address of a replay function: it answered nothing\.\n$/],
      [200, 'pong', /: it answered "pong"\.\n$/],
      [200, 'null', /: it answered "null"\.\n$/],
      [200, '{"status":"UP"}', /: it answered "\{"status":"UP"\}"\.\n$/],
      [500, 'oops', /^HTTP 500 of http:\S+: "oops"\.\n$/],
      [502, '', /^HTTP 502 of http:\S+: nothing\.\n$/],
      [400, 'oops', /^HTTP 400 of http:\S+: "oops"\.\n$/, problem],
      [400, '{"problems":{}}', /^HTTP 400 of http:\S+: "\{"problems":\{\}\}"\.\n$/, problem],
      [400, '{"detail":"No.","problems":{}}', /^No\.\n$/, problem],
    ];
    for (const [status, text, said, type = 'application/json'] of answers) {
      answer = (_, response) => response.writeHead(status, { 'content-type': type }).end(text);
      for (const command of [['runs'], ['watch', '1'], ['show', '1'], ['replay', 'id:1']]) {
        const { exitCode, stdout, stderr } = await dlo(command);
        assert.deepEqual([exitCode, stdout], [1, ''], `${status} ${text}`);
        assert.match(stderr, said);
      }
    }
  });

  it('that breaks off the answer of a failure is named by its status', async () => {
    answer = (_, response) => {
      response.writeHead(502, { 'content-length': 9 }).write('b');
      setImmediate(() => response.destroy());
    };
    assert.match((await dlo(['runs'])).stderr, /^HTTP 502 of http:\S+: nothing\.\n$/);
  });

  it('whose Cloud Run does not admit the user says how to be admitted', async () => {
    for (const [status, remedy] of [
      [401, /^HTTP 401 of http:\S+: Sign in by `gcloud auth login`, or set DLO_TOKEN/],
      [403, /^HTTP 403 of http:\S+: Your account needs roles\/run\.invoker on the function replay\.\n$/],
    ] as const) {
      answer = (_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
      const { exitCode, stderr } = await dlo(['runs']);
      assert.equal(exitCode, 3);
      assert.match(stderr, remedy);
    }
  });

  it('that is away for a moment is waited for by a command that follows it', async () => {
    const progress = { selected: 1, delivered: 1, failed: 0, skipped: 0, waiting: 0, inFlight: 0 };
    const answers = ['running', 503, 503, 503, 'refused', 'ended'];
    answer = (_, response) => {
      const next = answers.shift() ?? 'ended';
      if (next === 'refused') response.destroy();
      else if (typeof next === 'number') response.writeHead(next).end();
      else
        response
          .writeHead(200)
          .end(JSON.stringify({ id: '1', state: next, progress, rollout: {}, answers: [] }));
    };
    const { exitCode, stdout } = await dlo(['watch', '1']);
    assert.deepEqual([exitCode, JSON.parse(stdout).state, answers], [0, 'ended', []]);
  });

  it('that breaks off an answer ends the command with 1', async () => {
    answer = (_, response) => {
      response.writeHead(200).write('{"id": "1"}\n');
      setImmediate(() => response.destroy());
    };
    for (const command of ['export', 'runs']) {
      const { exitCode, stderr } = await dlo([command]);
      assert.equal(exitCode, 1);
      assert.match(stderr, /^The connection broke off/);
    }
  });
});
