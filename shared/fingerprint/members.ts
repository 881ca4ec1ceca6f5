import { causeMembers } from './words.ts';

/** A piece of a message: its text, and what remains of it in every message of its cause. */
export type Piece = {
  readonly text: string;
  readonly normal: string;
  /** Whether it is compared, though in another form, such as a name in other quotes. */
  readonly isCompared?: boolean;
};

/** `"id": `, `id=`, `:id=>`: an object names its values. */
const anyMember = /["'\p{L}\p{N}_]\s{0,3}(?::|=>|=)/u;

const string = String.raw`"(?<double>(?:[^"\\]|\\.){0,400})"?|'(?<single>(?:[^'\\]|\\.){0,400})'?`;
const notation = String.raw`(?<![\p{L}\p{N}_-])["':]?(?<name>${causeMembers})["']?\s{0,3}(?::|=>|=)\s{0,3}(?:${string}|\[(?<list>[^[\]{}]{0,300})\]|(?<bare>[^\s,;{}[\]"']{1,100}))`;
const element = String.raw`<(?:\w{1,20}:)?(?<tag>${causeMembers})(?:\s[^<>]{0,100})?>(?<content>[^<>]{1,400})`;
/** `"errors": {"sku": ["must not be blank"]}`: the fields of the request, with what is wrong. */
const fields = String.raw`["':]?(?:field_?|validation_?)?(?<plural>errors|violations)["']?\s{0,3}(?::|=>)\s{0,3}\{(?<map>[^{}]{1,400})\}`;
const members = new RegExp(`${fields}|${notation}|${element}`, 'giu');

/** Members that hold a code of the sender or the name of one of its fields, not words. */
const coded =
  /^(?:__type|@type|type|reason|code|status|errors?|err_?code|[a-z]{1,10}_?(?:sub)?code|error_?type|path|field|param|parameter|property|pointer|loc|location|target|faultcode)$/i;
const code = /^(?:\d{1,5}|[\p{L}_$#/.][\p{L}_$.:#/-]{0,100}(?<=\p{L})\d{0,2})$/u;

/** Whether a text is an object: JSON, XML, or as its language prints it, possibly cut off. */
export function isObjectText(text: string): boolean {
  return anyMember.test(text) || /^</.test(text);
}

/**
 * Splits an object into its members that say what is wrong, at any depth, such as `code: card_declined` of
 * `{"error": {"code": "card_declined", "id": 7}}`, and all else, which is not compared. `normalize` reads the
 * words of one.
 */
export function splitObject(object: string, normalize: (words: string) => string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: text, index, groups = {} } of object.matchAll(members)) {
    const normal = describeMember(groups, normalize);
    if (normal === '') continue;
    pieces.push({ text: object.slice(end, index), normal: '' }, { text, normal, isCompared: true });
    end = index + text.length;
  }
  return [...pieces, { text: object.slice(end), normal: end === 0 ? '<value>' : '' }];
}

type Groups = Readonly<Record<string, string | undefined>>;

function describeMember(groups: Groups, normalize: (words: string) => string): string {
  const { double, single, list, content, bare, map } = groups;
  const name = (groups.name ?? groups.tag ?? groups.plural ?? '').toLowerCase();
  const isBare = bare !== undefined && /^(?:null|nil|None|true|false)$/.test(bare);
  const items = list === undefined ? map?.replaceAll(/["'[\]]/g, ' ') : readList(list);
  const value = withoutEscapes(double ?? single ?? items ?? content ?? (isBare ? '' : bare) ?? '');
  if (value.trim() === '') return '';
  return `${name}: ${coded.test(name) && code.test(value) ? value : normalize(value)} `;
}

/** `["items", 2, "sku"]` as `items.#.sku`; a list of messages as their words. */
function readList(list: string): string {
  if (/\p{L} /u.test(list)) return list.replaceAll(/["']/g, ' ');
  return (list.match(/[\p{L}\p{N}_]+/gu) ?? []).join('.').replaceAll(/\p{N}+/gu, '#');
}

/** A string in JSON may have an object in JSON, as an answer within an answer. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(["'\\/])/g, '$1').replaceAll(/\\[nrt]/g, ' ');
}
