import { codeOfObject, codePatterns } from './status-codes.ts';

/** Characters read of the first line of a message, characters kept, and passes over it. */
const maxRead = 4096;
const maxKept = 300;
const maxPasses = 10;

const weekday = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const month = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';

/**
 * Parts of a message that differ from event to event, in the order in which they are recognized. Each
 * alternative reads a few hundred characters at most, so that the time is linear in the length of the
 * message.
 */
const variable = new RegExp(
  [
    `(?<kept>${codePatterns.join('|')})`,
    String.raw`(?<named>(?<==)(?:(?:"[^"]{0,300}(?:"|$)|'[^']{0,300}'|\([^()]{0,300}\)|\[[^[\]]{0,300}\])[^\s,;()[\]{}]{0,300}|[^\s,;()[\]{}]{1,300}))`,
    String.raw`(?<url>\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'<>()[\]{}|\\^\u0060]{1,500})`,
    String.raw`(?<email>[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5})`,
    '(?<value>"[^"]{0,300}(?:"|$)|«[^»]{0,300}»|“[^”]{0,300}”)',
    String.raw`(?<quoted>(?<![\p{L}\p{N}#>])(?:'[^']{0,300}'|\u0060[^\u0060]{0,300}\u0060))`,
    String.raw`(?<time>\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?\b)`,
    String.raw`(?<clock>\b\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?\b)`,
    String.raw`(?<date>\b(?:${weekday})[a-z]{0,6},? (?:\d{1,2} )?(?:${month})[a-z]{0,6}[ \d:,.+-]{1,30}(?:(?:UTC|GMT|[CEMP][DS]T|CES?T)\b(?: \d{4})?)?)`,
    String.raw`(?<path>(?<![\p{L}\p{N}<>])(?:[a-z]:\\|\\\\|~?\/|\.{1,2}\/)(?:[^\s"'<>|:;,()[\]{}\\/]{1,100}[\\/]){1,20}[^\s"'<>|:;,()[\]{}\\/]{0,100})`,
    String.raw`(?<id>@[\da-f]{4,16}\b|[\p{L}\p{N}_.-]{0,64}\p{N}(?:[\p{L}\p{N}_.:/+=-]{0,300}[\p{L}\p{N}])?)`,
  ].join('|'),
  'giu',
);

/**
 * Without one of these, neither `variable` nor an object matches: most messages have none left after one
 * pass.
 */
const mayVary = new RegExp(String.raw`[\p{N}@="'\u0060«“\\/{]|\b(?:${weekday})`, 'iu');

const placeholders: Readonly<Record<string, string>> = {
  email: '<email>',
  value: '<value>',
  quoted: '<value>',
  named: '<value>',
  time: '<time>',
  clock: '<time>',
  date: '<time>',
  path: '<path>',
  id: '#',
};

/** A piece of a message: its text, and what remains of it in every message of its kind. */
export type Piece = { readonly text: string; readonly normal: string };

/** The line of a message that names the error: the first one, with the next one if it only introduces it. */
export function headline(message: string): string {
  const [line = '', next = ''] = message
    .slice(0, maxRead)
    .trimStart()
    .split(/\r?\n|\r/, 2);
  return line.endsWith(':') && next !== '' ? `${line} ${next.trim()}` : line;
}

/**
 * Returns a message without the values of a single event: ids, numbers, times, addresses, paths, quoted and
 * assigned values. Status codes and versions stay. This removes personal data as far as it differs from
 * words. Idempotent.
 */
export function normalizeMessage(message: string): string {
  let normal = headline(message);
  for (let pass = 0; pass < maxPasses; pass++) {
    const before = normal;
    normal = join(splitMessage(before));
    if (normal === before || !mayVary.test(normal)) return normal;
  }
  return '<value>';
}

/** One pass. Its replacements may leave text that only now looks like a path or a value. */
function join(pieces: readonly Piece[]): string {
  const plain = pieces.map(({ normal }) => normal).join('');
  return plain.replaceAll(/\s+/g, ' ').slice(0, maxKept).trim();
}

/**
 * Splits a line into its pieces; those that differ from event to event have another `normal` than `text`. The
 * text from the first brace to the last is one of them: JSON, or an object as its language prints it,
 * possibly cut off.
 */
export function splitMessage(line: string): Piece[] {
  const start = line.indexOf('{');
  if (start === -1) return splitText(line);
  const end = line.lastIndexOf('}');
  const isWhole = end > start && !line.slice(end + 1).includes('{');
  const text = isWhole ? line.slice(start, end + 1) : line.slice(start);
  const object = { text, normal: `${codeOfObject(text)}<value>` };
  return [...splitText(line.slice(0, start)), object, ...splitText(line.slice(start + text.length))];
}

function splitText(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(variable)) {
    const [found] = match;
    const before = text.slice(end, match.index);
    if (before !== '') pieces.push({ text: before, normal: before });
    pieces.push(...replace(found, match.groups ?? {}));
    end = match.index + found.length;
  }
  const rest = text.slice(end);
  return rest === '' ? pieces : [...pieces, { text: rest, normal: rest }];
}

function replace(text: string, groups: Readonly<Record<string, string | undefined>>): Piece[] {
  const [kind = 'kept'] = Object.entries(groups).find(([, found]) => found !== undefined) ?? [];
  return kind === 'url' ? splitUrl(text) : [{ text, normal: placeholders[kind] ?? text }];
}

/** Keeps the scheme, the host and the words of the path. */
function splitUrl(url: string): Piece[] {
  const [, scheme = '', authority = '', path = '', rest = ''] =
    /^([^:]+:\/\/)([^/?]*)([^?]*)(.*)$/s.exec(url) ?? [];
  const [host = ''] = authority.slice(authority.lastIndexOf('@') + 1).split(':', 1);
  const steps = path.split(/(?=\/)/).map((step) => {
    const isWord = /^\/?(?:v\d{1,2}|[a-z_-]{0,40})$/i.test(step);
    return { text: step, normal: isWord ? step : '/#' };
  });
  return [
    { text: scheme, normal: scheme },
    { text: authority, normal: /\d/.test(host) ? '#' : host },
    ...steps,
    { text: rest, normal: '' },
  ].filter(({ text }) => text !== '');
}
