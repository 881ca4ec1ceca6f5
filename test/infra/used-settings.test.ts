import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { SettingsSchema } from '../../infra/settings.ts';
import { stackSettings } from '../../infra/stack-settings.ts';
import { toCamelCase } from '../../shared/config/setting.ts';
import { namedVariables } from '../../shared/environment/environment.ts';
import { limits } from '../../shared/metrics/metrics.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Those that follow from a variable or an alert. */
const derived = new Set<string>([
  ...stackSettings.map(({ name }) => name),
  ...limits.map(({ setting }) => setting),
]);

describe('a setting', () => {
  const wordsOf = (pattern: string, exclude: RegExp) =>
    new Set(
      globSync(pattern, { cwd: root })
        .filter((file) => !exclude.test(file))
        .flatMap((file) => readFileSync(path.join(root, file), 'utf8').match(/\w+/g) ?? []),
    );

  it('of the stack is read by its program, by a function or by an alert', () => {
    const words = wordsOf('infra/**/*.ts', /^infra\/settings\.ts$/);
    const own = Object.keys(SettingsSchema.entries).filter((name) => !derived.has(name));
    assert.deepEqual(
      own.filter((name) => !words.has(name)),
      [],
    );
  });

  it('of the functions is used beyond its definition', () => {
    const words = wordsOf('{shared,functions}/**/*.ts', /^shared\/(config|environment)\//);
    const unused = namedVariables.filter(([name, { as = toCamelCase(name), stack }]) => {
      const isRead = [name, as].some((word) => words.has(word));
      return !isRead && stack !== 'derived' && !name.endsWith('_FILE');
    });
    assert.deepEqual(
      unused.map(([name]) => name),
      [],
    );
  });
});
