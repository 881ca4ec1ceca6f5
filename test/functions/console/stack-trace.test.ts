import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stackTrace } from '../../../functions/console/events/error-text.ts';
import { stacks } from '../../shared/fingerprint/stacks.ts';
import { useConsole } from '../../support/console.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent } from '../../support/factories.ts';

const show = (trace: string) => String(stackTrace(trace, 'events/1/stack'));
const withoutFolded = (markup: string) => markup.replaceAll(/<details.*?<\/details>/gs, '');
const textOf = (markup: string) =>
  markup
    .replaceAll(/<summary>.*?<\/summary>|<p class="stack-actions.*$/gs, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trimEnd();

const library = '\tat org.springframework.kafka.Listener.call(Listener.java:1)';
const deep = [
  'com.acme.PspUnavailable: POST https://psp/charges 503',
  ...Array<string>(140).fill(library),
  'Caused by: java.net.SocketTimeoutException: Read timed out',
  ...Array<string>(140).fill(library),
  ...Array.from({ length: 120 }, (_, i) => `\tat com.acme.PspClient.charge${i}(PspClient.java:${i})`),
].join('\n');

describe('a stack trace on a page', () => {
  const database = useDatabase();
  const served = useConsole(database);

  it('dims the frames of runtimes and libraries', () => {
    const trace = [
      'Error: x',
      '    at charge (/app/src/charge.js:1:2)',
      '    at process (node:internal/process:1:2)',
      '    at call (/app/node_modules/pg/lib/client.js:1:2)',
      '\tat org.springframework.kafka.Listener.call(Listener.java:1)',
      '\tat com.shop.Orders.handle(Orders.java:7)',
      'Caused by: java.io.IOException: Broken pipe',
    ];
    const frames = [...show(trace.join('\n')).matchAll(/class="frame( \w+)?"/g)].map(([, kind]) =>
      kind?.trim(),
    );

    assert.deepEqual(frames, ['cause', undefined, 'dim', 'dim', 'dim', undefined, 'cause']);
  });

  it('shows every cause with its first own frames, and folds the others', () => {
    const shown = textOf(withoutFolded(show(deep))).split('\n');

    // Two causes, two library frames of each, five own ones, and the last line.
    assert.equal(shown.length, 2 + 2 * 2 + 5 + 1);
    assert.ok(shown.includes('Caused by: java.net.SocketTimeoutException: Read timed out'));
    assert.ok(shown.includes('\tat com.acme.PspClient.charge0(PspClient.java:0)'));
  });

  for (const [language, { print }] of Object.entries(stacks)) {
    it(`has every line of a ${language} stack trace in its order`, () => {
      assert.equal(textOf(show(print(7))), print(7));
    });
  }

  it('has every line of a deep one in its order, and can be copied', () => {
    assert.equal(textOf(show(deep)), deep);
    assert.match(show(deep), /data-copy="stack"/);
  });

  it('shows the cause of a trace of 2,000 frames, and counts the frames that only the download has', () => {
    const frames = '\tat org.springframework.web.Client.call(Client.java:1)\n'.repeat(2000);
    const page = show(
      `com.acme.ChargeException: x\n${frames}Caused by: com.acme.GatewayError: y\n\tat com.acme.Pay.run(Pay.java:1)`,
    );
    assert.match(page, /1,998 lines of libraries, in the download/);
    assert.match(page, /Caused by: com\.acme\.GatewayError: y/);
    assert.match(page, /com\.acme\.Pay\.run/);
    assert.doesNotMatch(page, /data-copy=|The first/);
  });

  it('says how much of a huge one it shows, and downloads all of it', async () => {
    const huge = `Error: x\n${'    at walk (/app/tree.js:1:2)\n'.repeat(20_000)}last line`;
    const id = await anEvent(database(), { error_stacktrace: huge });
    const page = await (await fetch(`${served().url}/events/${id}`)).text();
    const download = await fetch(`${served().url}/events/${id}/stack`);

    assert.match(page, /The first \d,\d{3} lines of it/);
    assert.match(download.headers.get('content-disposition') ?? '', /^attachment/);
    assert.equal(await download.text(), huge);
  });
});
