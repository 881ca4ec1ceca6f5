import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { consoleSettings } from '../../../shared/config/console.ts';
import { readSettings } from '../../../shared/config/setting.ts';

describe('the configuration of the console', () => {
  const baseOf = (path: string) => {
    const read = readSettings(consoleSettings, { CONSOLE_PATH: path });
    return read.ok ? read.value.base : read.problems[0]?.remedy;
  };

  it('accepts its path with or without a trailing slash', () => {
    assert.deepEqual(['/', '/console', '/a/b-c/'].map(baseOf), ['/', '/console/', '/a/b-c/']);
    for (const path of ['console', '//evil.example', '/a//b', '/a?b', '']) {
      assert.match(baseOf(path) ?? '', /^Must be a path/, path);
    }
  });

  it('has no users by default', () => {
    const read = readSettings(consoleSettings, {});

    assert.deepEqual(read.ok && read.value, {
      ...{ base: '/', environment: undefined, operators: [], viewers: [] },
      failingHours: 24,
    });
  });

  it('accepts users by address or domain, in any case, and `*` for those whom IAP admits', () => {
    const read = readSettings(consoleSettings, {
      CONSOLE_OPERATORS: ' Ada@Example.com, sub:42,',
      CONSOLE_VIEWERS: '*@example.com, *',
    });

    assert.deepEqual(read.ok && [read.value.operators, read.value.viewers], [
      ['ada@example.com', 'sub:42'],
      ['*@example.com', '*'],
    ]);
    for (const name of ['*@*', 'a b', '@example.com', 'a@b@c']) {
      assert.equal(readSettings(consoleSettings, { CONSOLE_VIEWERS: name }).ok, false, name);
    }
  });
});
