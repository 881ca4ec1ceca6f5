/** A range of characters: the first one, and the one after the last. */
export type Span = { readonly from: number; readonly to: number };

/** A span that is not valid, and its remedy. */
export type Misreading = Span & { readonly remedy: string };

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
