import { isObjectText, type Piece, splitObject } from './members.ts';
import { isJoint, isName } from './quoted-names.ts';
import { kindOf, placeholders, type TokenKind, token } from './token-kinds.ts';
import { causeMembers, servicePorts } from './words.ts';

/** Characters read of a message, and characters kept. */
const maxRead = 2500;
const maxKept = 400;

/** Lines that are read after a first line that only introduces them. */
const maxFurther = 3;

/** The line of a message that names the error, with the next ones if it only introduces them. */
export function headline(message: string): string {
  const text = message.slice(0, maxRead).trim();
  const [line = '', ...further] = text.split(/\s*(?:\r\n?|\n)\s*/);
  const isObject = /^[[{<]|[[{(]$/.test(line);
  if (isObject) return [line, ...further].join(' ');
  return introduces.test(line) ? [line, ...further.slice(0, maxFurther)].join(' ') : line;
}

/** `1 validation error for Order`, `call failed with:`. */
const introduces =
  /(?:[:,]| in)$|\b\d{1,4} (?:\p{L}{1,20} )?errors?\b|\berrors? (?:occurred|found|detected)\.?$/iu;

/**
 * Returns a message without the values of a single event: ids, numbers, times, addresses, paths, quoted and
 * assigned values. Names in programs and schemas, codes and versions stay. This removes personal data as far
 * as it differs from words.
 */
export function normalizeMessage(message: string): string {
  const pieces = splitMessage(headline(message));
  const kept = withoutTranslation(pieces).map(({ normal }) => normal);
  return kept.join('').replaceAll(/\s+/g, ' ').replaceAll(repeated, '$1').slice(0, maxKept).trim();
}

/** The values of a list, and the groups of digits of a number: `1, 2 and 3`, `1,048,576`, `1 234,56`. */
const repeated = /(#|<\w+>)(?:(?:[ ,;'’]{1,2}|,? (?:and|or) )\1)+/g;

/** Codes of SQL that say all that the words after them say; those for a class of errors do not. */
const sqlCode =
  /^(?:(?:SQL[ _-]?STATE)?[\s[(:=]{0,3}|ERROR:\s+)(?=[\dA-Z]{0,4}\d)(?!P0001|45)([\dA-Z]{2}(?!000)[\dA-Z]{3})\]?$/;

/** The severity before the words of PostgreSQL, in any language: `ERROR: `, `FEHLER: `, `错误: `. */
const severity = /(?:^|: |\()(?:\p{Lu}{4,12}|\p{Lo}{2,4}): {1,2}/u;
const afterSeverity = new RegExp(`${severity.source}.*$`, 'su');

/**
 * The server translates the words beside its code: without them, the code and the names that it quotes are
 * the cause.
 */
function withoutTranslation(pieces: readonly Piece[]): readonly Piece[] {
  const at = pieces.findIndex(({ normal }) => sqlCode.test(normal));
  if (at === -1) return pieces;
  const isFirst = /(?:^|: ?)$/.test(pieces[at - 1]?.text ?? '');
  const begin = pieces.findIndex(({ text }) => severity.test(text));
  if (!isFirst && (begin === -1 || begin > at)) return pieces;
  const [from, to] = isFirst ? [at, pieces.length] : [begin, at];
  return pieces.map((piece, index) => {
    if (index === begin && !isFirst) return { ...piece, normal: piece.text.replace(afterSeverity, ' ') };
    return index <= from || index >= to || isNamed(piece) ? piece : { ...piece, normal: ' ' };
  });
}

/** Whether a piece is a quoted name. */
function isNamed({ normal }: Piece): boolean {
  return /^["]./.test(normal);
}

/**
 * Splits a line into its pieces; those that differ from event to event have another `normal` than `text`. An
 * object, from the first brace to the last, is one piece.
 */
export function splitMessage(line: string, depth = 0): Piece[] {
  const start = line.search(/[{]|\[\s*[{"]|<(?:\?xml|!doctype|html|error|fault|\w{1,20}:envelope)/i);
  const end = Math.max(line.lastIndexOf('}'), line.lastIndexOf('>'), line.lastIndexOf(']'));
  const isWhole = end > start && !/[{]/.test(line.slice(end + 1));
  const text = isWhole ? line.slice(start, end + 1) : line.slice(start);
  if (start === -1 || !isObjectText(text) || depth > 2) return splitText(line, depth);
  const object = splitObject(text, (words) => normalizeWithin(words, depth + 1));
  const rest = line.slice(start + text.length);
  return [...splitText(line.slice(0, start), depth), ...object, ...splitText(rest, depth)];
}

function normalizeWithin(words: string, depth: number): string {
  return splitMessage(words, depth)
    .map(({ normal }) => normal)
    .join('');
}

function splitText(line: string, depth: number): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  // Not matchAll, which copies the expression for each line; a token within a token moves its index.
  for (token.lastIndex = 0; ; token.lastIndex = end) {
    const match = token.exec(line);
    if (!match) break;
    const { 0: text, index } = match;
    if (index > end) pieces.push(words(line.slice(end, index)));
    end = index + text.length;
    const kind = kindOf(match);
    pieces.push(...readToken(kind, { text, line, index, previous: pieces.slice(-2), depth }));
  }
  if (end < line.length) pieces.push(words(line.slice(end)));
  return pieces;
}

function words(text: string): Piece {
  return { text, normal: text };
}

type Token = {
  readonly text: string;
  readonly line: string;
  readonly index: number;
  /** The two pieces before it. */
  readonly previous: readonly Piece[];
  readonly depth: number;
};

function readToken(kind: TokenKind, token: Token): Piece[] {
  const { text } = token;
  if (kind === 'url') return splitUrl(text);
  if (kind === 'quoted') {
    const normal = readQuoted(token);
    return [{ text, normal, isCompared: isNamed({ text, normal }) }];
  }
  if (kind === 'assigned') return [{ text, normal: readAssigned(token) }];
  if (kind === 'address') return splitAddress(text);
  return [{ text, normal: placeholders[kind] ?? text }];
}

/** A name stays, in one kind of quotes; words after `message=` and addresses are read further. */
function readQuoted({ text: quoted, line, index, previous, depth }: Token): string {
  const text = quoted.replace(/^.(.*?)["'`»«“”’」』]?$/su, '$1').trim();
  const before = line.slice(Math.max(0, index - 40), index);
  const after = line.slice(index + quoted.length, index + quoted.length + 40);
  const [named, joint] = previous;
  const isListed = joint !== undefined && named !== undefined && isJoint(joint.text) && isNamed(named);
  const isAlone = index === 0 && quoted.length === line.trimEnd().length;
  if (isName({ text, before: isListed ? 'key ' : before, after, isAlone }))
    return `"${text.replaceAll(/\p{N}+/gu, '#')}"`;
  const isMessage = telling.test(before) && / .* /.test(text);
  const isAddress = /^(?:[a-z][a-z\d+.-]{1,20}:\/\/|[\w.-]{1,100}:\d{2,5}$)/i.test(text);
  return (isMessage || isAddress) && depth < 3 ? normalizeWithin(text, depth + 1) : '<value>';
}

const telling = new RegExp(`$(?<=(?<![\\p{L}_])(?:${causeMembers}) ?[=:] ?)`, 'iu');

/** Keeps the value of a member that names the problem, if it is a name or the port of a service. */
function readAssigned({ text, line, index }: Token): string {
  const name = line.slice(Math.max(0, index - 30), index);
  if (/\bport=$/i.test(name) && servicePort.test(text)) return text;
  return telling.test(name) && /^[\p{L}_][\p{L}_.]{1,60}$/u.test(text) ? text : '<value>';
}

const servicePort = new RegExp(`^(?:${servicePorts})$`);

/** The host, unless it has a number, and the port. */
function splitAddress(address: string): Piece[] {
  const end = address.lastIndexOf(':');
  const host = address.slice(0, end);
  return [{ text: host, normal: /\d|^\[/.test(host) ? '#' : host }, words(address.slice(end))];
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
