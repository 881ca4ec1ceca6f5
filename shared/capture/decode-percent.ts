/** Decodes percent-encoded UTF-8 once. Returns text that is not percent-encoded UTF-8 unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
