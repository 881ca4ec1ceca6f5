export type PathTemplate = (path: string) => Readonly<Record<string, string>> | undefined;

/**
 * Compiles a path as the API reference writes it: `{name}` is one segment, `{name=**}` any number of them,
 * and `{name=folders/*}` what it says. Returns the decoded variables of a path, or undefined if the path does
 * not match.
 * https://cloud.google.com/endpoints/docs/grpc-service-config/reference/rpc/google.api#path-template-syntax
 */
export function compileTemplate(template: string): PathTemplate {
  const names: string[] = [];
  const pattern = template.replaceAll(/\{(\w+)(?:=([^}]+))?\}|[^{]+/g, (text, name, inside = '*') => {
    if (!name) return text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
    names.push(name);
    return `(${inside.replaceAll(/\*\*|\*/g, (stars: string) => (stars === '**' ? '.+' : '[^/:]+'))})`;
  });
  const regex = new RegExp(`^${pattern}$`);
  return (path) => {
    const match = regex.exec(path);
    return match
      ? Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(match[i + 1] ?? '')]))
      : undefined;
  };
}
