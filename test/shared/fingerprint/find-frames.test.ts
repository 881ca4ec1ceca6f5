import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findFrames, frameOf } from '../../../shared/fingerprint/find-frames.ts';

/** Lines of stacks as languages print them, whose they are, and the name of the frame. */
type Line = readonly [line: string, origin: string | null, name: string | null];
const lines: Record<string, readonly Line[]> = JSON.parse(
  readFileSync(new URL('frames.json', import.meta.url), 'utf8'),
);

describe('a frame', () => {
  it('is found in a line of any length, as Erlang prints a whole stack', () => {
    const frame = (module: string) => `{${module},place,2,[{file,"/build/src/${module}.erl"},{line,7}]}`;
    const stack = `[${[...Array<string>(30).fill('gen_server'), 'orders', 'shop'].map(frame)}]`;
    assert.ok(stack.length > 1000);
    assert.deepEqual(findFrames(stack), ['orders:place', 'shop:place']);
  });

  it('is found before any line feed', () => {
    const stack = 'goroutine 1:\r\nmain.place\r\n\t/app/store.go:7\r\nmain.main\r\n\t/app/main.go:7';
    assert.deepEqual(findFrames(stack), ['main.place', 'main.main']);
  });

  for (const [language, all] of Object.entries(lines)) {
    it(`of ${language} is of the application or a library, and has its name in each build`, () => {
      const found = all.map(([line]): Line => [line, frameOf(line) ?? null, findFrames(line)[0] ?? null]);
      assert.deepEqual(found, all);
    });
  }
});
