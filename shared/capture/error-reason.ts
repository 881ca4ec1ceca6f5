/** Joins the known parts of an error as Java prints it, `class: message`. Returns null if no part is known. */
export function joinReason(...parts: (string | null)[]): string | null {
  return parts.filter((part) => part !== null).join(': ') || null;
}
