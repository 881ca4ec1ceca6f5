/** Splits `project:region:instance`; the project may have a domain prefix: `example.com:project`. */
export function splitConnectionName(connectionName: string) {
  const parts = connectionName.split(':');
  return { project: parts.slice(0, -2).join(':'), instance: parts.at(-1) ?? '' };
}
