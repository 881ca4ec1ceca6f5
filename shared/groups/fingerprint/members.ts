import { causeMembers } from './words.ts';

/** `"id": `, `id=`, `:id=>`: an object names its values. */
const anyMember = /["'\p{L}\p{N}_]\s{0,3}(?::|=>|=)/u;

const string = String.raw`"(?<double>(?:[^"\\]|\\.){0,400})"?|'(?<single>(?:[^'\\]|\\.){0,400})'?`;
const notation = String.raw`(?<![\p{L}\p{N}_-])["':]?(?<name>${causeMembers})["']?\s{0,3}(?::|=>|=)\s{0,3}(?:${string}|\[(?<list>[^[\]{}]{0,300})\]|(?<bare>[^\s,;{}[\]"']{1,100}))`;
const element = String.raw`<(?:\w{1,20}:)?(?<tag>${causeMembers})(?:\s[^<>]{0,100})?>(?<content>[^<>]{1,400})`;
const members = new RegExp(`${notation}|${element}`, 'giu');

/** Members that hold a code of the sender or the name of one of its fields, not words. */
const coded =
  /^(?:__type|@type|type|reason|code|status|errors?|error_?(?:code|type)|path|field|param|parameter|property|pointer|loc|location|target|faultcode)$/i;
const code = /^(?:\d{1,5}|[\p{L}_$#/.][\p{L}_$.:#/-]{0,100}(?<=\p{L})\d{0,2})$/u;

/** Whether a text is an object: JSON, XML, or as its language prints it, possibly cut off. */
export function isObject(text: string): boolean {
  return anyMember.test(text) || /^</.test(text);
}

/**
 * The members of an object that say what is wrong, at any depth, such as `code: card_declined` of
 * `{"error": {"code": "card_declined", "id": 7}}`; `<value>` without any. `normalize` reads the words of one.
 */
export function describeObject(object: string, normalize: (words: string) => string): string {
  const found = [...object.matchAll(members)].flatMap(({ groups = {} }) => {
    const name = (groups.name ?? groups.tag ?? '').toLowerCase();
    const { double, single, list, content, bare } = groups;
    const isBare = bare !== undefined && /^(?:null|nil|None|true|false)$/.test(bare);
    const items = list === undefined ? undefined : readList(list);
    const value = withoutEscapes(double ?? single ?? items ?? content ?? (isBare ? '' : bare) ?? '');
    if (value.trim() === '') return [];
    return [`${name}: ${coded.test(name) && code.test(value) ? value : normalize(value)}`];
  });
  return found.length > 0 ? found.join(' ') : '<value>';
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
