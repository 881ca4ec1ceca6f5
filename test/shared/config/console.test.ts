import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConsole } from '../../../shared/config/console.ts';

describe('the configuration of the console', () => {
  const baseOf = (path: string) => {
    const read = readConsole({ CONSOLE_PATH: path });
    return read.ok ? read.value.base : read.problems[0]?.remedy;
  };

  it('accepts its path with or without a trailing slash', () => {
    assert.deepEqual(['/', '/console', '/a/b-c/'].map(baseOf), ['/', '/console/', '/a/b-c/']);
    for (const path of ['console', '//evil.example', '/a//b', '/a?b', '']) {
      assert.match(baseOf(path) ?? '', /^Must be a path/, path);
    }
  });

  it('has no users by default', () => {
    const read = readConsole({});

    assert.deepEqual(read.ok && read.value, {
      ...{ base: '/', environment: '', operators: [], viewers: [] },
      failingHours: 24,
    });
  });

  it('accepts users by address or domain, in any case, and `*` for those whom IAP admits', () => {
    const read = readConsole({
      CONSOLE_OPERATORS: ' Ada@Example.com, sub:42,',
      CONSOLE_VIEWERS: '*@example.com, *',
    });

    assert.deepEqual(read.ok && [read.value.operators, read.value.viewers], [
      ['ada@example.com', 'sub:42'],
      ['*@example.com', '*'],
    ]);
    for (const name of ['*@*', 'a b', '@example.com', 'a@b@c']) {
      assert.equal(readConsole({ CONSOLE_VIEWERS: name }).ok, false, name);
    }
  });
});
