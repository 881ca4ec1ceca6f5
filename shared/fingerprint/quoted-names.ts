import {
  identifierNouns,
  identifierPredicates,
  subjects,
  typeNames,
  valueNouns,
  valuePredicates,
} from './words.ts';

/** Letters, digits and the signs that names in programs and schemas have; no spaces. */
const shape = /^[\p{L}_$@.:[<*][\p{L}\p{N}_$@.:/\\>()[\]<#?*,-]{0,160}[!?]?$/u;

/** Forms of names in programs alone: `order_id`, `com.acme.Order`, `vatId`, `place()`, `Acme::Order`. */
const programmed = /[\p{L}\p{N}]_+\p{L}|\p{L}\p{N}?[.#]\p{L}|\p{Ll}\p{Lu}|\(\)|->|::|\[\]|^[_$]\p{L}/u;

const before = new RegExp(
  `$(?<=(?<!\\p{L})(?:(?<value>${valueNouns}|${subjects})|(?<noun>${identifierNouns}))[\\])]?\\s?[:=]?\\s?[(\\[]?)`,
  'iu',
);
const after = new RegExp(`^(?:[)\\]]?\\s?(?:${identifierPredicates})(?!\\p{L})|\\.["'\`[])`, 'iu');
const afterValue = new RegExp(`^ (?:${valuePredicates})(?!\\p{L})`, 'iu');

const typeName = new RegExp(`^(?:${typeNames})$`);

/** Between the names of a list. */
const joint = /^(?:,? (?:and|or) |, ?| in |\.)$/;

/** A quoted text with the text around it. */
export type Quoted = {
  readonly text: string;
  /** The end of the text before it, and the beginning of the text after it. */
  readonly before: string;
  readonly after: string;
  /** Whether it is all of the message. */
  readonly isAlone: boolean;
};

/**
 * Whether a quoted text is a name in a program or a schema, which belongs to the cause, rather than a value
 * of one event. It has the shape of a name, with at most one number in it; and either only names look like it
 * and the word before it introduces no value, or the words around it introduce a name, or the message has
 * nothing else, as that of Python's KeyError.
 */
export function isName({ text, before: prefix, after: suffix, isAlone }: Quoted): boolean {
  if (typeName.test(text)) return true;
  if (!shape.test(text) || isLikeId(text)) return false;
  const { value, noun } = before.exec(prefix)?.groups ?? {};
  if (value !== undefined || afterValue.test(suffix)) return false;
  return noun !== undefined || isAlone || after.test(suffix) || programmed.test(text);
}

/** Whether a text is a list separator between two quoted names, of which the second is as the first. */
export function isJoint(text: string): boolean {
  return joint.test(text);
}

/** More than one number in it, hardly a letter beside it, or a mail address. */
function isLikeId(text: string): boolean {
  const numbers = text.match(/\p{N}+/gu) ?? [];
  return numbers.length > 1 || (numbers.length === 1 && !/\p{L}{2}/u.test(text)) || /@.*\./.test(text);
}
