type Dependencies = Readonly<Record<string, string>>;

type LockedPackage = {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Dependencies;
  readonly optionalDependencies?: Dependencies;
};

/** The packages of a package-lock.json by their path, such as `node_modules/a/node_modules/b`. */
export type Locked = Readonly<Record<string, LockedPackage>>;

/** Returns a package, and all that it requires, as they are locked. Throws an Error if one of them is not. */
export function pinDependencies(locked: Locked, name: string): Locked {
  const pinned = new Map<string, LockedPackage>();
  const pin = (location: string): void => {
    if (pinned.has(location)) return;
    const each = locked[location];
    if (!each?.integrity) throw new Error(`package-lock.json does not pin ${location}: run npm install.`);
    // Without the URL: each installation uses its own registry.
    const { resolved: _, dev: __, ...kept } = each as LockedPackage & { resolved?: string; dev?: boolean };
    pinned.set(location, kept);
    for (const needed of Object.keys({ ...each.dependencies, ...each.optionalDependencies })) {
      pin(findPath(locked, location, needed));
    }
  };
  pin(`node_modules/${name}`);
  return Object.fromEntries([...pinned].sort());
}

/** Returns where Node.js finds a package that is required from `location`: beside it, or further up. */
function findPath(locked: Locked, location: string, name: string): string {
  const nested = `${location}/node_modules/${name}`;
  if (nested in locked || location === '') return nested.replace(/^\//, '');
  return findPath(locked, location.slice(0, location.lastIndexOf('node_modules/')).replace(/\/$/, ''), name);
}
