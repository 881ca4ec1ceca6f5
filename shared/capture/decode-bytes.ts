const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * In the form that encoders write, with padding; undefined for any other text: Node.js skips its other
 * characters, so that it has more groups of four than its bytes need, or another last one.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  const groups = Math.ceil(bytes.length / 3);
  const last = bytes.toString('base64', Math.max(0, groups - 1) * 3);
  const isPlain = text.length === groups * 4 && text.endsWith(last);
  return isPlain && !text.includes('-') && !text.includes('_') ? bytes : undefined;
}

/** base64 or base64url, with or without padding and line breaks; undefined for any other text. */
export function decodeAnyBase64(text: string): Buffer | undefined {
  const exact = decodeBase64(text);
  if (exact) return exact;
  const bytes = Buffer.from(text, 'base64');
  const toPlain = (each: string) => each.replaceAll(/\r?\n/g, '').replace(/={1,2}$/, '');
  const plain = toPlain(text).replaceAll('-', '+').replaceAll('_', '/');
  return toPlain(bytes.toString('base64')) === plain ? bytes : undefined;
}

/** Decodes once; text that is not percent-encoded UTF-8 stays. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
