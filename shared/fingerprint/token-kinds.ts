import { foldCase } from './fold-case.ts';
import { codePatterns } from './status-codes.ts';
import { noNames, servicePorts, subjects } from './words.ts';

/** Letters of scripts that separate words by spaces; in others, a number is beside the letters of a word. */
const letter = 'A-Za-z\\u00AA\\u00B5\\u00BA\\u00C0-\\u024F\\u0370-\\u07FF\\u1E00-\\u1FFF';

const weekday = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const month = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';

/** Currencies by their code, without those that are English words. */
const currencies = Intl.supportedValuesOf('currency')
  .filter((code) => !['ALL', 'TRY', 'TOP', 'XXX'].includes(code))
  .join('|');

/** Abbreviations of two letters that are no countries where messages have them. */
const noCountries = 'IO|ID|IP|DB|AI|OK|UI|VM|PR|CI|CD|TV|IT|MS|PM|AM|OS|IN|IS|NO|PK|FK|S3|JS|TS|GO|QA';

const unnamed = `(?-i:${noNames})`;

/**
 * Kinds of tokens in the order in which they are recognized, in any case except for groups `(?-i:...)`. Each
 * reads a few hundred characters at most, so that the time is linear in the length of the message. Text of no
 * kind is words, which stay.
 */
export const tokenKinds = {
  code: codePatterns.join('|'),
  assigned: String.raw`(?<==)(?:(?:"[^"]{0,300}(?:"|$)|'[^']{0,300}'|\([^()]{0,300}\)|\[[^[\]]{0,300}\])[^\s,;()[\]{}]{0,300}|[^\s,;()[\]{}"']{1,300})`,
  url: String.raw`\b[a-z][a-z\d+.-]{1,20}:\/\/[^\s"'<>()[\]{}|\\^\u0060]{1,500}`,
  email: String.raw`(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,5}`,
  quoted: String.raw`"[^"]{0,300}(?:"|$)|«[^»]{0,300}»|»[^«]{0,300}«|“[^”]{0,300}”|„[^“”]{0,300}[“”]|‘[^’]{0,300}’|「[^」]{0,300}」|『[^』]{0,300}』|(?<![\p{L}\p{N}#>])(?:'[^']{0,300}'|\u0060[^\u0060']{0,300}[\u0060'])`,
  time: String.raw`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?\b|\b\d\d?:\d\d(?::\d\d(?:[.,]\d{1,9})?| [AP]M)(?: [AP]M)?\b|\b(?:\d{1,2}(?:st|nd|rd|th)? (?:${month})[a-z]{0,6}\.?,? |(?:${month})[a-z]{0,6}\.? \d{1,2}(?:st|nd|rd|th)?, )\d{4}\b|\b(?:${weekday})[a-z]{0,6},? (?:\d{1,2} )?(?:${month})[a-z]{0,6}[ \d:,.+-]{1,30}(?:(?:UTC|GMT|[CEMP][DS]T|CES?T)\b(?: \d{4})?)?`,
  address: String.raw`(?<![\p{L}\p{N}_.-])(?:(?:[${letter}\d-]{1,63}\.){1,8}[${letter}\d-]{1,63}|localhost|\[[\da-f:]{2,45}\]|(?:[\da-f]{0,4}:){2,7}[\da-f]{1,4}|(?=[${letter}])[${letter}\d_-]{1,63}(?=:\d{4,5}))(?:\/(?:\d{1,3}\.){3}\d{1,3}|\/\[[\da-f:]{2,45}\])?:(?:${servicePorts})(?!\p{N}|[:.]\p{N})`,
  port: String.raw`(?<=\bport[ =:]{1,3}|\]:|(?<!\d)\/(?:\d{1,3}\.){3}\d{1,3}:)(?:${servicePorts})(?!\p{N})`,
  path: String.raw`(?<![\p{L}\p{N}<>])(?:[a-z]:\\|\\\\|~?\/|\.{1,2}\/)(?:[^\s"'<>|:;,()[\]{}\\/]{1,100}[\\/]){1,20}[^\s"'<>|:;,()[\]{}\\/]{0,100}`,
  identifier: String.raw`(?<=\b(?:index|constraint|column|table|collection|function|method):? )\p{L}[\p{L}_.]{2,60}\p{N}{1,2}(?![\p{L}\p{N}_-])`,
  id: String.raw`@[\da-f]{4,16}\b|(?<![${letter}\p{N}_.-])(?:(?:[\da-f]{2}[:-]){5}[\da-f]{2}|[a-f]{8,64})(?![${letter}\p{N}_-])|(?:(?<![${letter}\p{N}_.-])[${letter}_.-]{1,64})?\p{N}(?:[${letter}\p{N}_.:/+=-]{0,300}[${letter}\p{N}])?(?:[=_-]{1,2}(?![^\s,;.)\]}"']))?`,
  name: String.raw`(?=(?-i:\p{Lu}))(?<=(?<![\p{L}_.-])(?:${subjects}) )(?!${unnamed}(?!\p{L}))(?-i:\p{Lu})[\p{L}'’.&-]{0,40}(?<!\.)(?: (?!${unnamed}(?!\p{L}))(?-i:\p{Lu})[\p{L}'’&-]{0,40}){0,3}`,
  value: String.raw`(?=(?-i:[A-Z]{2}|[a-z]{2}[-_][A-Z]))(?:(?<![\p{L}\p{N}_.-])(?-i:${currencies})(?![\p{L}\p{N}_.-])|(?<![\p{L}\p{N}_.-])(?-i:(?!X-)[A-Z]{2,30}(?:-[A-Z]{1,30}){1,6})(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}_.-])(?-i:[a-z]{2}[-_][A-Z]{2})(?![\p{L}\p{N}_.-])|(?<=\b(?:to|from|for|in) )(?-i:[A-Z]{2})(?<!(?-i:${noCountries}))(?![\p{L}\p{N}_.-]))`,
  minified: String.raw`(?<![\p{L}\p{N}_.$'’"-])(?-i:[a-zA-Z$_]{1,2})(?=\.[a-z]\w* is |\.[a-z]\w*$| is not (?:a function|defined|iterable|a constructor))`,
} as const;

export type TokenKind = keyof typeof tokenKinds;

/** The replacement of the tokens of a kind; others are read further. */
export const placeholders: Partial<Readonly<Record<TokenKind, string>>> = {
  email: '<email>',
  time: '<time>',
  path: '<path>',
  id: '#',
  name: '<value>',
  value: '<value>',
  minified: '#',
};

const kinds = Object.keys(tokenKinds) as TokenKind[];

/** All kinds in one expression, with a group for each. */
export const token = new RegExp(foldCase(kinds.map((kind) => `(${tokenKinds[kind]})`).join('|')), 'gu');

/** The kind of a token that the expression has found. */
export function kindOf(match: RegExpExecArray): TokenKind {
  const group = match.findIndex((text, index) => index > 0 && text !== undefined);
  return kinds[group - 1] ?? 'code';
}
