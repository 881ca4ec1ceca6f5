/** Characters that reorder the text around them, or that nothing shows. */
export const invisible = /[\u061C\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g;

/**
 * A text whose invisible and direction-changing characters are shown as JSON escapes: `abc\u202Edef` would
 * otherwise be read as `abcfed` (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
 */
export function visibleText(text: string): string {
  return text.replaceAll(
    invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}
