/** A path in a JSON document, as masks and patches of fields write it: `$.lines[3].price`, `$["a b"]`. */
export function printPath(path: readonly (string | number)[]): string {
  const parts = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return `$${parts.join('')}`;
}
