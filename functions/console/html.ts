import { html as template } from 'hono/html';

/** Markup whose every value has been escaped. Only `html` makes it. */
export type Html = Awaited<ReturnType<typeof template>>;

/** Values a template accepts. Objects are excluded, so that no part of an event can pass for markup. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/**
 * Makes markup; each value is escaped, in text and in quoted attributes alike. Falsy values except 0 are
 * omitted. Texts that a user reads show their invisible characters; links, fields and texts to copy keep
 * them.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  const isRead = findRead(strings);
  // hono returns a promise only for a value that is a promise, which `Content` excludes.
  return template(strings, ...values.map((value, i) => (isRead[i] ? makeVisible(value) : value))) as Html;
}

function makeVisible(value: Content): Content {
  if (typeof value === 'string') return visibleText(value);
  return Array.isArray(value) ? value.map(makeVisible) : value;
}

const known = new WeakMap<TemplateStringsArray, readonly boolean[]>();

/** For each value of a template, whether a user reads it: as text, or in a tooltip. */
function findRead(strings: TemplateStringsArray): readonly boolean[] {
  const found = known.get(strings);
  if (found) return found;
  const isRead = strings.slice(1).map((after, i) => {
    const before = strings.slice(0, i + 1).join('');
    const [, attribute] = /([\w-]+)="[^"]*$/.exec(before) ?? [];
    return attribute ? ['title', 'aria-label'].includes(attribute) : !after.startsWith('</textarea>');
  });
  known.set(strings, isRead);
  return isRead;
}

/** What shows nothing, or reorders the text around it. An emoji keeps what joins its parts or colors it. */
const invisible =
  /\u200D(?!\p{Extended_Pictographic})|[\p{Default_Ignorable_Code_Point}--[\u200D\uFE00-\uFE0F]]/gv;

/**
 * A text whose invisible and direction-changing characters are shown as JSON escapes: `abc\u202Edef` would
 * otherwise be read as `abcfed` (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
 */
export function visibleText(text: string): string {
  const print = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  return text.replaceAll(invisible, (character) => character.split('').map(print).join(''));
}
