/** A stretch of a text, by its first character and the one after its last. */
export type Span = { readonly from: number; readonly to: number };

/** What cannot be read, and what to write instead. */
export type Misreading = Span & { readonly remedy: string };

/** A text and how far it has been read. */
export type TextReader = { readonly text: string; at: number };

/** Reads on over what matches here, and returns it; without a match nothing is read. `pattern` is sticky. */
export function take(reader: TextReader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  reader.at += found?.length ?? 0;
  return found;
}

/** Says of all that was read since `from` that it cannot be used. */
export function misread({ at }: TextReader, from: number, remedy: string): Misreading {
  return { from, to: at, remedy };
}
