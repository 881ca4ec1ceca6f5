import { type Html, html } from '../html.ts';

const hourMs = 3_600_000;

const ranges = {
  '24h': { words: '24 hours', hours: 1, steps: 24 },
  '7d': { words: '7 days', hours: 6, steps: 28 },
  '30d': { words: '30 days', hours: 24, steps: 30 },
} as const;

/** A period of the past in equal steps of whole hours, and how people call it. The last step is the one under way. */
export type Range = {
  readonly name: keyof typeof ranges;
  readonly words: string;
  readonly since: Date;
  readonly until: Date;
  /** When the same length of time before it began. */
  readonly before: Date;
  readonly hours: number;
  readonly steps: number;
};

/** The period that `?range=` asks for; the last 24 hours where it asks for none. */
export function readRange(query: URLSearchParams, now: Date): Range {
  const asked = query.get('range') ?? '';
  const name = Object.hasOwn(ranges, asked) ? (asked as keyof typeof ranges) : '24h';
  const { words, hours, steps } = ranges[name];
  const until = (Math.floor(now.getTime() / hourMs) + 1) * hourMs;
  const length = steps * hours * hourMs;
  return {
    name,
    words,
    hours,
    steps,
    since: new Date(until - length),
    until: new Date(until),
    before: new Date(until - 2 * length),
  };
}

/** Links to the same page over another period. */
export function rangeSwitch(path: string, here: Range): Html {
  return html`<span class="switch">${Object.entries(ranges).map(
    ([name, { words }]) =>
      html`<a href="${path}?range=${name}"${name === here.name && html` aria-current="true"`}>${words}</a>`,
  )}</span>`;
}

/** When a step began. */
export function startOfStep({ since, hours }: Range, step: number): Date {
  return new Date(since.getTime() + step * hours * hourMs);
}
