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
  for (const [language, all] of Object.entries(lines)) {
    it(`of ${language} is of the application or a library, and has its name in each build`, () => {
      const found = all.map(([line]): Line => [line, frameOf(line) ?? null, findFrames(line)[0] ?? null]);
      assert.deepEqual(found, all);
    });
  }
});
