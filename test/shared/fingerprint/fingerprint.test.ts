import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findCauses } from '../../../shared/fingerprint/find-causes.ts';
import { findFrames } from '../../../shared/fingerprint/find-frames.ts';
import {
  type Failure,
  fingerprint,
  fingerprintReason,
  nameFailure,
} from '../../../shared/fingerprint/fingerprint.ts';
import { normalizeMessage } from '../../../shared/fingerprint/normalize-message.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { stacks } from './stacks.ts';

const aFailure = (facts: Partial<Failure> = {}): Failure => ({
  errorClass: null,
  errorReason: null,
  errorStacktrace: null,
  eventType: 'order.created',
  consumer: 'shop',
  ...facts,
});
const taken = (facts: Partial<Failure>) => fingerprint(aFailure(facts));

describe('a fingerprint', () => {
  for (const [language, { print, frames }] of Object.entries(stacks)) {
    it(`of a ${language} stack has the frames of its root cause, and is the same for each build and event`, () => {
      const errorStacktrace = print(7);
      const errors = findCauses({ errorClass: '', message: '', stack: errorStacktrace });

      assert.deepEqual(findFrames(errors.at(-1)?.stack ?? ''), frames);
      assert.equal(taken({ errorStacktrace }), taken({ errorStacktrace: print(12_345) }));
    });
  }

  it('begins with the version of its rules', () => {
    assert.match(fingerprintReason('timeout'), /^v3:[0-9a-f]{16}$/);
  });

  it('never changes within a version', () => {
    assert.equal(fingerprintReason('order 4711 not found'), 'v3:38fc27d977a19495');
    assert.equal(taken({ errorStacktrace: stacks.Java?.print(1) ?? '' }), 'v3:7271920f0e0be43f');
  });

  it('is the same for a class reported separately and within the reason', () => {
    const whole = taken({ errorReason: 'java.io.IOException: disk full' });

    assert.equal(taken({ errorClass: 'java.io.IOException', errorReason: 'disk full' }), whole);
    assert.equal(
      taken({ errorClass: 'java.io.IOException', errorReason: 'java.io.IOException: disk full' }),
      whole,
    );
  });

  it('is the same for every event type and consumer with the same reason', () => {
    const facts = { errorReason: 'timeout' };

    assert.equal(
      taken({ ...facts, eventType: 'a', consumer: 'b' }),
      taken({ ...facts, eventType: 'c', consumer: null }),
    );
  });

  it('of a failure without a reason is that of its event type and consumer', () => {
    const unknown = taken({});

    assert.equal(taken({ errorReason: 'not reported' }), unknown);
    assert.notEqual(taken({ eventType: 'order.paid' }), unknown);
    assert.notEqual(taken({ consumer: 'billing' }), unknown);
    assert.notEqual(taken({ errorStacktrace: '\n    at place (/app/a.js:1:2)' }), unknown);
  });

  it('differs by class, message and frames', () => {
    const at = (frame: string) => ({ errorStacktrace: `Error: bad\n    at ${frame} (/app/a.js:1:2)` });
    const all = [
      { errorClass: 'A' },
      { errorClass: 'B' },
      { errorReason: 'x' },
      { errorReason: 'y' },
      at('place'),
      at('refund'),
    ];

    assert.equal(new Set(all.map(taken)).size, all.length);
  });

  it('differs by the status code of the outermost error, whatever its cause', () => {
    const at = (code: number) =>
      `PspUnavailable: POST https://psp.example/charges ${code}\n\tat PspClient.charge(PspClient.java:7)\nCaused by: java.io.IOException: closed`;

    assert.notEqual(taken({ errorStacktrace: at(401) }), taken({ errorStacktrace: at(503) }));
  });

  it('differs by the root cause of Rust, above the same backtrace', () => {
    const of = (cause: string) =>
      `Error: cannot place order\n\nCaused by:\n    0: query failed\n    1: ${cause}\n\nStack backtrace:\n   0: shop::orders::place\n             at ./src/orders.rs:7:5`;

    assert.notEqual(taken({ errorStacktrace: of('timed out') }), taken({ errorStacktrace: of('refused') }));
    assert.equal(nameFailure(aFailure({ errorStacktrace: of('refused') })).frame, 'shop::orders::place');
  });

  it('has the frame of Node before the properties of its error', () => {
    const of = (call: string) =>
      `Error: bad\n    at async ${call} (file:///app/charge.js:5:15) {\n  code: 'E'\n}`;

    assert.notEqual(taken({ errorStacktrace: of('charge') }), taken({ errorStacktrace: of('refund') }));
  });

  it('does not depend on the depth of a recursion', () => {
    const stack = (depth: number) =>
      `Error: bad\n${'    at walk (/app/tree.js:1:2)\n'.repeat(depth)}    at main (/app/a.js:1:2)`;

    assert.equal(taken({ errorStacktrace: stack(2) }), taken({ errorStacktrace: stack(90) }));
  });

  it('does not depend on ids', () => {
    const id = fc.oneof(
      fc.uuid(),
      fc.nat().map(String),
      fc.stringMatching(/^"[a-z]{1,9}"$/),
      fc.stringMatching(/^[a-z]{1,9}@[a-z]{1,9}\.com$/),
    );
    fc.assert(
      fc.property(id, id, (one, other) => {
        const [a, b] = [one, other].map((text) => taken({ errorReason: `no order ${text} here` }));
        const kind = (text: string) => normalizeMessage(`x ${text}`);
        if (kind(one) === kind(other)) assert.equal(a, b);
        assert.match(normalizeMessage(`no order ${one} here`), /^no order (#|<value>|<email>) here$/);
      }),
    );
  });

  it('exists for any input', () => {
    const text = fc.option(fc.string({ unit: anyCharacter, maxLength: 3000 }));
    fc.assert(
      fc.property(text, text, text, (errorClass, errorReason, errorStacktrace) => {
        assert.match(taken({ errorClass, errorReason, errorStacktrace }), /^v3:[0-9a-f]{16}$/);
      }),
    );
  });
});

describe('the time to compute a fingerprint', () => {
  const hostile = [
    '{',
    '"',
    "'",
    'a.',
    '=(',
    '/a',
    ' ---> ',
    'Caused by: ',
    'File "',
    '    at a (/',
    "a.rb:1:in '",
    'a$$',
  ];

  it('is bounded for any input', () => {
    for (const piece of hostile) {
      const long = piece.repeat(1_000_000 / piece.length);
      const failure = {
        errorClass: long,
        errorReason: long,
        errorStacktrace: `${`${piece.repeat(40)}\n`.repeat(200)}${long}`,
      };
      const longer = { ...failure, errorReason: `${long}x`, errorStacktrace: `${failure.errorStacktrace}x` };

      assert.equal(taken(failure), taken(longer));
    }
  });
});
