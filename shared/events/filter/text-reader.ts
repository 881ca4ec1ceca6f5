/** A range of characters: the first one, and the one after the last. */
export type Span = { readonly from: number; readonly to: number };

/** A span that is not valid, and its remedy. */
export type Misreading = Span & { readonly remedy: string };

/** A value in a text, with the sign before it if it is a time or a number. */
export type TextValue = Span & { readonly value: unknown; readonly sign: '<' | '>' | '=' };

export type ReadResult = TextValue | Misreading;

/** A text and the index of the next character to read. */
export type TextReader = { readonly text: string; at: number };

/**
 * Reads and returns the text that the sticky `pattern` matches here, or reads nothing and returns undefined.
 */
export function take(reader: TextReader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}

/** A problem with everything that was read since `from`. */
export function misread({ at }: TextReader, from: number, remedy: string): Misreading {
  return { from, to: at, remedy };
}

/** Reads texts with commas between them. */
export function readList(reader: TextReader): ReadResult[] {
  const texts: ReadResult[] = [];
  do texts.push(readText(reader, /[^\s",]+/y));
  while (take(reader, /,/y));
  return texts;
}

/** Reads one text, with any character but spaces and quotes. */
export const readOneText = (reader: TextReader): ReadResult[] => [readText(reader, /[^\s"]+/y)];

/** Reads one or more words that stand alone: a quoted text, or everything up to the next space. */
export function readBareText(reader: TextReader): ReadResult {
  if (reader.text[reader.at] === '"') return readText(reader, /(?!)/y);
  return readText(reader, /([^\s"]|"([^"\\]|\\.)*")+/sy);
}

function readText(reader: TextReader, bare: RegExp): ReadResult {
  const from = reader.at;
  const text = take(reader, bare);
  if (text !== undefined) return { from, to: reader.at, value: text, sign: '=' };
  const quoted = take(reader, /"([^"\\]|\\.)*"/sy);
  if (quoted !== undefined) return parseValue(reader, from, escapeControls(quoted));
  if (take(reader, /".*/sy)) return misread(reader, from, 'Close this quote.');
  return misread(reader, from, 'Write a value here, in quotes if there are spaces in it.');
}

/** Parses JSON that was read since `from`. */
export function parseValue(reader: TextReader, from: number, json: string): ReadResult {
  try {
    return { from, to: reader.at, value: JSON.parse(json), sign: '=' };
  } catch (error) {
    return misread(reader, from, `Not valid as JSON: ${error instanceof Error ? error.message : error}.`);
  }
}

/** Accepts tabs and line breaks in quotes, as in pasted text. */
function escapeControls(quoted: string): string {
  return quoted.replaceAll(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1));
}

/** A text as readText reads it. */
export function printText(text: string): string {
  return /^[^\s",]+$/.test(text) ? text : JSON.stringify(text);
}

/** Texts as readList reads them. */
export const printList = (texts: readonly string[]) => [texts.map(printText).join(',')];
