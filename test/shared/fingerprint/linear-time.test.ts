import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findCauses } from '../../../shared/fingerprint/find-causes.ts';
import { findFrames } from '../../../shared/fingerprint/find-frames.ts';
import { headline, splitMessage } from '../../../shared/fingerprint/normalize-message.ts';
import { sample, tries } from '../../support/sample.ts';

/** Beginnings and ends of what the expressions look for. */
const fragments = [
  ...'{}[]()<>"\'`=:;,./\\@#|-_ \t\n«“0a1A',
  'a.',
  'http://',
  '"a":',
  '\\"',
  'status ',
  'code=',
  'error: "',
  'customer ',
  'Bob ',
  'USD/',
  'AB-',
  'localhost:54',
  '10.0.0.',
  '2026-01-',
  'Mon Jan ',
  'v1.',
  'SQLSTATE[',
  'column "',
  '<error>',
  '注文',
  ' at ',
  '    at a.b(',
  '#0 a.php(1): ',
  'File "',
  'a.rb:1:in `',
  '   1: a::',
  '{a,b,1,[{',
  'Caused by: ',
  ' ---> ',
  '  | ',
  'Next A: ',
];

const attack = fc
  .array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(''));

/** Processor time in milliseconds, the least of three. */
function timeOf(run: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

/** Four times the text takes four times as long, not sixteen; short times are measured too coarsely. */
function assertLinear(run: (text: string) => unknown, piece: string) {
  const [short, long] = [10_000, 40_000].map((length) =>
    timeOf(() => run(piece.repeat(length / piece.length))),
  );
  assert.ok((long ?? 0) < 10 * (short ?? 0) + 30, `${piece}: ${short} ms, then ${long} ms`);
}

describe('the time that hostile text takes', () => {
  const asLines = (text: string) => text.replaceAll(/.{900}/gs, '$&\n');
  const readers: Record<string, (text: string) => unknown> = {
    'a message': (text) => splitMessage(text),
    'a stack': (text) => findFrames(asLines(text)),
    'a stack of many lines': (text) => findFrames(text.replaceAll(/.{30}/gs, '$&\n')),
    'the causes in a stack': (text) => findCauses({ errorClass: '', message: '', stack: asLines(text) }),
    'a first line': (text) => headline(text),
  };
  for (const [what, read] of Object.entries(readers)) {
    it(`is linear for ${what}`, () => {
      fc.assert(
        fc.property(attack, (piece) => assertLinear(read, piece)),
        { numRuns: tries(60) },
      );
      for (const piece of sample(fragments)) assertLinear(read, piece);
    });
  }
});
