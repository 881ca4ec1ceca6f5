import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { SourceSchema } from '../../infra/source-settings.ts';
import { factList } from '../../shared/capture/message.ts';
import { deliveryHeaders } from '../../shared/delivery/targets/message-headers.ts';
import { targetKinds } from '../../shared/delivery/targets/target-kinds.ts';
import { keptBecause } from '../../shared/events/actions/undo-events.ts';
import { paceNames } from '../../shared/replay/rollout.ts';
import { RunRequestSchema } from '../../shared/replay/run-request.ts';
import { skipReasons } from '../../shared/replay/skip-reasons.ts';

const cwd = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');

/** The names in the first column of the table whose header begins so. */
function namesIn(page: string, header: string): string[] {
  const [, rows = ''] =
    read(page)
      .split(`\n| ${header} |`)[1]
      ?.split(/\n\|[-|]+\|\n/) ?? [];
  const [table = ''] = rows.split('\n\n');
  return table
    .split('\n')
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

describe('the documentation', () => {
  it('lists each kind of target', () => {
    assert.deepEqual(namesIn('docs/deliver.md', 'kind').sort(), targetKinds.toSorted());
  });

  it('names each header that a delivery adds', () => {
    const added = deliveryHeaders({ redelivery: '1.a', damaged: ['key'] }, 1).map(([name]) => name);
    assert.deepEqual(
      added.filter((name) => !read('docs/deliver.md').includes(`\`${name}\``)),
      [],
    );
  });

  it('names each option of the client', () => {
    const options = [...read('packages/client/options.ts').matchAll(/^ {2}readonly (\w+)/gm)];
    assert.ok(options.length > 10);
    const words = new Set(read('packages/client/README.md').match(/\w+/g));
    assert.deepEqual(
      options.flatMap(([, name = '']) => (words.has(name) ? [] : [name])),
      [],
    );
  });

  it('shows a source of each kind that a stack has, and Pulumi.yaml names it', () => {
    const kinds = SourceSchema.options.map(({ entries }) => `kind: ${entries.kind.literal},`);
    for (const page of ['docs/deploy.md', 'Pulumi.yaml']) {
      const missing = kinds.filter((kind) => !read(page).includes(kind));
      assert.deepEqual(missing, [], page);
    }
  });

  it('lists each header that tells a fact', () => {
    const headers = factList.flatMap(([, [, , , header]]) => header ?? []);
    const listed = namesIn('docs/capture.md', 'header');
    assert.deepEqual(listed.filter((name) => name.startsWith('dlo-')).sort(), headers.sort());
  });

  for (const [what, header, names] of [
    ['field of a run', 'field', Object.keys(RunRequestSchema.entries)],
    ['pace', 'pace', paceNames],
    ['reason why a run leaves an event', 'skipped or excluded', Object.keys(skipReasons)],
    ['reason why an undo leaves an event', '`kept`', Object.keys(keptBecause)],
  ] as const) {
    it(`lists each ${what}`, () => {
      const listed = namesIn('docs/actions.md', header);
      assert.deepEqual(
        names.filter((name) => !listed.includes(name)),
        [],
      );
    });
  }

  it('lists each action of the log', () => {
    const logged = globSync('{shared,functions}/**/*.ts', { cwd }).flatMap((file) =>
      [...read(file).matchAll(/\blog\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?\baction: '([^']+)'/g)].map(
        ([, action = '']) => action,
      ),
    );
    const listed = namesIn('docs/metrics.md', '`action`');
    assert.ok(logged.length > 15);
    assert.deepEqual(
      logged.filter((action) => !listed.includes(action)),
      [],
    );
  });
});
