const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Returns undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Decodes base64 in the form that encoders write, with padding. Returns undefined for any other text: Node.js
 * skips its other characters, so that it is longer than its bytes need, or ends in another way.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  const groups = Math.ceil(bytes.length / 3);
  const last = bytes.toString('base64', Math.max(0, groups - 1) * 3);
  const isPlain = !text.includes('-') && !text.includes('_');
  return isPlain && text.length === 4 * groups && text.endsWith(last) ? bytes : undefined;
}

/**
 * Decodes base64 or base64url, with or without padding and line breaks. Returns undefined for any other text.
 */
export function decodeAnyBase64(text: string): Buffer | undefined {
  const exact = decodeBase64(text);
  if (exact) return exact;
  const bytes = Buffer.from(text, 'base64');
  const toPlain = (each: string) => each.replaceAll(/\r?\n/g, '').replace(/={1,2}$/, '');
  const plain = toPlain(text).replaceAll('-', '+').replaceAll('_', '/');
  return toPlain(bytes.toString('base64')) === plain ? bytes : undefined;
}

/** Decodes percent-encoded UTF-8 once. Returns text that is not percent-encoded UTF-8 unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
