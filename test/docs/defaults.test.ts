import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import * as v from 'valibot';
import type { Setting } from '../../shared/config/setting.ts';
import { PolicySchema } from '../../shared/delivery/policy/policy.ts';
import { variables } from '../../shared/environment/environment.ts';

const cwd = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');
const units: Readonly<Record<string, number>> = { minutes: 60, MiB: 2 ** 20 };

describe('a default in the documentation', () => {
  const pages = ['README.md', ...globSync('docs/*.md', { cwd })];
  const stated = pages.flatMap((page) => [
    ...read(page).matchAll(
      /`([A-Z_]+)` \((?<number>[\d,]+)(?: (?<unit>minutes|MiB))?(?:; (?<stack>\d+) in a stack)?/g,
    ),
  ]);

  for (const { 1: name = '', groups = {} } of stated) {
    it(`is that of ${name}`, () => {
      const { default: fallback, stack } =
        Object.entries<Setting>(variables).find(([each]) => each === name)?.[1] ?? {};
      const { number = '', unit = '', stack: inStack } = groups;
      assert.equal(Number(number.replaceAll(',', '')) * (units[unit] ?? 1), fallback);
      if (inStack)
        assert.equal(Number(inStack), typeof stack === 'object' && 'default' in stack && stack.default);
    });
  }

  it('is stated for some', () => assert.ok(stated.length > 5));

  it('is that of each field of a policy, all of which docs/policies.md lists', () => {
    const policy = v.parse(PolicySchema, {});
    const [, table = ''] = /^## Policy\n\n(.*?)\n\n/ms.exec(read('docs/policies.md')) ?? [];
    const rows = table
      .split('\n')
      .slice(2)
      .map((row) => row.split(' | '));
    const listed = rows.flatMap(([fields = '', defaults = '']) => {
      const names = [...fields.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
      const values = names.length === 1 ? [defaults] : defaults.split(', ');
      return names.map((name, i) => [name, values[i]?.replaceAll('`', '') ?? ''] as const);
    });
    const { backoff, breaker, ...others } = policy;
    const ofBreaker = Object.entries(breaker).map(([name, value]) => [`breaker.${name}`, value]);
    const known: Readonly<Record<string, unknown>> = {
      ...others,
      ...Object.fromEntries(ofBreaker),
      backoff: backoff.kind,
    };
    const { breaker: _, ...entries } = PolicySchema.entries;
    const fields = new Set([...Object.keys(entries), ...Object.keys(known), 'backoff.jitter']);
    assert.deepEqual(listed.map(([name]) => name).sort(), [...fields].sort());
    for (const [name, text] of listed) {
      const value = known[name];
      if (typeof value === 'number' || Array.isArray(value)) assert.deepEqual(JSON.parse(text), value, name);
      if (typeof value === 'string') assert.equal(text.replaceAll('"', ''), value, name);
    }
  });
});
