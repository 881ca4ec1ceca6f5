/** A part of a text that is not valid, and its remedy. */
export type Misreading = { readonly text: string; readonly remedy: string };

/** A part of a text with its value, and with the sign before it if it is a time or a number. */
export type TextValue = { readonly text: string; readonly value: unknown; readonly sign?: '<' | '>' };

export type ReadResult = TextValue | Misreading;

/** Reads a text, which is in quotes if it has spaces. */
export function readText(text: string): ReadResult {
  if (text === '') return { text, remedy: 'Write a value here, in quotes if there are spaces in it.' };
  // Tabs and line breaks in quotes, as in pasted text.
  if (text.startsWith('"')) return { ...readJson(text.replaceAll(/\p{Cc}/gu, escapeControl)), text };
  return text.includes('"') ? { text, remedy: 'Put it all in quotes.' } : { text, value: text };
}

const escapeControl = (control: string) => JSON.stringify(control).slice(1, -1);

/** Reads texts with commas between them. */
export function readList(texts: string): ReadResult[] {
  return (texts.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+|(?<=^|,)(?=,|$)/gs) ?? []).map(readText);
}

/** Reads JSON. */
export function readJson(text: string): ReadResult {
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    return { text, remedy: `Not valid as JSON: ${error instanceof Error ? error.message : error}.` };
  }
}

/** A text as readText reads it. */
export function printText(text: string): string {
  return /^[^\s",]+$/.test(text) ? text : JSON.stringify(text);
}

/** Texts as readList reads them. */
export const printList = (texts: readonly string[]) => [texts.map(printText).join(',')];
