import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import { indentJson } from '../../../packages/cli/terminal/format.ts';
import { refresh } from '../../../shared/groups/refresh-groups.ts';
import { useApi } from '../../support/api.ts';
import { useCommandLine } from '../../support/cli/command-line.ts';
import { useDatabase } from '../../support/database.ts';
import { anEvent, manyEvents } from '../../support/factories.ts';
import { aRouteTo } from '../../support/routes.ts';

const readLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const ownColors = ['\x1b[1m', '\x1b[22m', '\x1b[2m', '\x1b[36m', '\x1b[39m'];
const withoutColors = (stdout: string) => ownColors.reduce((rest, code) => rest.replaceAll(code, ''), stdout);

describe('the lists of dlo', () => {
  const database = useDatabase();
  const address = 'http://billing.payments.example/consumers/orders';
  const routes = ['v1', 'v2'].map((version) =>
    aRouteTo(`${address}/${version}`, { match: { eventType: `${version}.*` }, ordered: true }),
  );
  const api = useApi(database, { routes, masks: ['$.card'] });
  const dlo = useCommandLine(() => api().url);

  it('are lines of JSON on a pipe', async () => {
    await database().clear();
    const id = await anEvent(database(), { event_type: 'order.created', error_reason: 'no stock' });
    await anEvent(database(), { event_type: 'user.created' });
    const { stdout, exitCode } = await dlo(['events', 'type:order.*']);
    assert.deepEqual(
      readLines(stdout).map((event) => [event.id, event.errorReason]),
      [[id, 'no stock']],
    );
    assert.equal(exitCode, 0);
  });

  for (const columns of [80, 120]) {
    it(`fit a terminal of ${columns} columns`, async () => {
      await database().clear();
      const long = 'payments did not answer within 2000 ms '.repeat(5);
      await anEvent(database(), { event_type: 'a.type.with.a.long.name.in.it', error_reason: long });
      const { stdout } = await dlo(['events'], { columns });
      const [head = '', row = ''] = stripVTControlCharacters(stdout).trimEnd().split('\n');
      assert.match(head, /^ *ID {2}STATUS {3}TYPE .* REASON$/);
      assert.match(row, /pending {2}a\.type\.with\.a\.long\.name….*payments did not.*…$/);
      assert.equal(row.length, columns);
    });
  }

  it('name a target that does not fit by the end of its address', async () => {
    await database().clear();
    const { stdout } = await dlo(['targets'], { columns: 60 });
    const [head = '', first = '', second = ''] = stripVTControlCharacters(stdout).split('\n');
    assert.match(head, /^TARGET +STATE +SINCE +WAITING/);
    assert.match(first, /^….*\/consumers\/orders\/v1 /);
    assert.match(second, /^….*\/consumers\/orders\/v2 /);
    assert.ok([head, first, second].every(({ length }) => length <= 60));
  });

  it('are followed by an event that says what it waits behind, and until when', async () => {
    await database().clear();
    const retryAfter = new Date(Date.now() + 90 * 60_000);
    const first = await anEvent(database(), { event_type: 'v1.a', source_key: 'k', retry_after: retryAfter });
    const second = await anEvent(database(), { event_type: 'v1.a', source_key: 'k' });

    assert.match((await dlo(['show', '--no-json', first])).stdout, /\n {2}goes on {3}in 1 h\n/);
    assert.match((await dlo(['show', '--no-json', second])).stdout, new RegExp(`behind    event ${first}\n`));
  });

  it('fit with characters that take two columns', async () => {
    await database().clear();
    await anEvent(database(), { error_reason: '支払いサービスが応答しません😀'.repeat(9) });
    const { stdout } = await dlo(['events'], { columns: 80 });
    const [, row = ''] = stripVTControlCharacters(stdout).trimEnd().split('\n');
    assert.match(row, /[い支払サービスが応答しません😀]…$/u);
    assert.ok(row.isWellFormed());
    const wide = row.replaceAll(/[\u3000-\u9fff]|😀/gu, '##');
    assert.ok(wide.length === 80 || wide.length === 79, wide);
  });

  it('show no control character of an event on a terminal', async () => {
    await database().clear();
    const id = await anEvent(database(), {
      error_reason: 'a\x1b]0;owned\x07b\u202ec',
      payload: '"\\u001b[2J"',
    });
    for (const args of [['events'], ['show', id]]) {
      const { stdout } = await dlo(args, { columns: 80, env: { DLO_URL: api().url } });
      const text = withoutColors(stdout).replaceAll('\n', '');
      assert.doesNotMatch(text, /\p{Cc}|\p{Cf}/u);
      assert.match(text, /a ]0;owned b c/);
    }
  });

  it('let no sequence of a sender through to a terminal, not even a color', async () => {
    const sent = 'a\x1b[8mb\x1b]8;;http://evil.example\x07c\x1b]52;c;Zg==\x1b\\d\re\x08f\x9b2Jg\u009d0;h\x9c';
    await database().clear();
    const id = await anEvent(database(), {
      event_type: sent,
      error_class: sent,
      error_reason: sent,
      error_stacktrace: `${sent}\n    at ${sent}`,
      event_key: sent,
      event_id: sent,
      headers: JSON.stringify({ [sent]: sent }),
      payload: JSON.stringify(sent),
    });
    for (const args of [['events'], ['show', id]])
      for (const env of [{}, { NO_COLOR: '1' }]) {
        const { stdout } = await dlo(args, { columns: 80, env: { DLO_URL: api().url, ...env } });
        assert.match(stdout, /a \[8mb/);
        assert.doesNotMatch(withoutColors(stdout), /[^\P{Cc}\n]/u);
        if (args[0] === 'events') assert.equal(stdout.split('\n').length, 3);
      }
  });

  it('have the characters of a sender as they are in JSON', async () => {
    await database().clear();
    const id = await anEvent(database(), { error_reason: 'no 👩\u200d🔧, \u00adsoft' });
    const { stdout } = await dlo(['show', id]);
    assert.equal(JSON.parse(stdout).event.errorReason, 'no 👩\u200d🔧, \u00adsoft');
  });

  it('wrap a long fact of an event, and name the event that replaces it', async () => {
    await database().clear();
    const id = await anEvent(database(), {
      error_reason: 'no stock '.repeat(20).trim(),
      status: 'DISCARDED',
    });
    const edit = await anEvent(database(), { edited_from: id });
    await database().sql(
      `with audit as (insert into dlq_audit (actor, action, reason) values ('ada', 'edit event', 'x') returning id)
       insert into dlq_audit_events (audit_id, event_id, edit_id) select id, $1, $2 from audit`,
      [id, edit],
    );
    const show = async (event: string) => {
      const env = { DLO_URL: api().url, NO_COLOR: '1' };
      return (await dlo(['show', event], { columns: 80, env })).stdout;
    };
    const text = await show(id);
    assert.match(text, /\n {2}reason {4}no stock (no stock )+no\n {12}stock .*\n/);
    assert.ok(text.split('\n').every((line) => line.length <= 80));
    assert.ok(text.includes(`edited    replaced by event ${edit}\n`), text);
    assert.ok((await show(edit)).includes(`edited    replaces event ${id}\n`));
  });

  it('have as many items as --limit says, from as many pages as that takes', async () => {
    await database().clear();
    await manyEvents(database(), 600);
    assert.equal(readLines((await dlo(['events', '--limit', '550'])).stdout).length, 550);
    assert.equal(readLines((await dlo(['events'])).stdout).length, 20);
  });

  it('show the errors with what is open of each', async () => {
    await database().clear();
    const columns = { error_reason: 'no stock' };
    for (const status of ['PENDING', 'FAILED_PERMANENTLY']) await anEvent(database(), { ...columns, status });
    await refresh(database().db);
    const { stdout } = await dlo(['errors', '--no-json']);
    assert.match(stdout, /^ERROR.*\nno stock +1 +1 .*open {3}v1:0123456789abcdef\n/);
  });

  it('have colors on a terminal, but none on a pipe or with NO_COLOR', async () => {
    await database().clear();
    await anEvent(database());
    const isColored = async (given: Parameters<typeof dlo>[1]) => {
      const { stdout } = await dlo(['events', '--no-json'], given);
      return stdout !== stripVTControlCharacters(stdout);
    };
    const env = { DLO_URL: api().url, NO_COLOR: '1' };
    assert.equal(await isColored({ columns: 80 }), true);
    assert.equal(await isColored({ columns: 80, env }), false);
    assert.equal(await isColored({}), false);
  });

  it('keep the digits of large numbers of an event, on a pipe and on a terminal', async () => {
    await database().clear();
    const payload = '{"n": 12345678901234567890.5, "list": [{}, "a, [b]"]}';
    const id = await anEvent(database(), { payload, body: Buffer.from(payload) });
    assert.match((await dlo(['show', id])).stdout, /"n": 12345678901234567890\.5/);
    const { stdout } = await dlo(['show', id], { columns: 80, env: { DLO_URL: api().url, NO_COLOR: '1' } });
    assert.match(stdout, /^ {2}"n": 12345678901234567890\.5,?$/m);
    assert.match(stdout, /^ {2}"list": \[\n {4}\{\},\n {4}"a, \[b\]"\n {2}\],?$/m);
  });

  it('keep the digits of large numbers beside a masked value', async () => {
    await database().clear();
    const payload = '{"n": 12345678901234567890.5, "card": "4711"}';
    const id = await anEvent(database(), { payload, body: Buffer.from(payload) });
    const { stdout } = await dlo(['show', '--no-json', id]);
    assert.match(stdout, /^ {2}"n": 12345678901234567890\.5,\n {2}"card": "\(hidden\)"$/m);
  });

  it('print JSON that a terminal does not obey', async () => {
    await database().clear();
    const id = await anEvent(database(), { payload: '{"a": "\u009b31m\u007f"}' });
    for (const command of [['show', id], ['events']]) {
      const { stdout } = await dlo(command);
      assert.doesNotMatch(stdout, /[\u007f-\u009f]/);
      if (command[0] === 'show') assert.equal(JSON.parse(stdout).event.payload.a, '\u009b31m\u007f');
    }
  });

  it('show JSON that came compressed', async () => {
    await database().clear();
    const payload = '{"name": "Müller"}';
    const id = await anEvent(database(), { payload, body: gzipSync(payload) });
    const { stdout } = await dlo(['show', '--no-json', id]);
    assert.match(stdout, /^ {2}"name": "Müller"$/m);
  });

  it('indent a text of megabytes', () => {
    const value = { text: 'x'.repeat(4e6), quotes: '"\\'.repeat(4e6) };
    assert.equal(indentJson(JSON.stringify(value)) === JSON.stringify(value, null, 2), true);
  });
});
