/** The content of package-lock.json: each package by its path, such as `node_modules/a/node_modules/b`. */
export type Lock = {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

type Dependencies = Readonly<Record<string, string>>;

type LockedPackage = {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Dependencies;
  readonly optionalDependencies?: Dependencies;
};

type Manifest = { readonly name: string; readonly main: string; readonly packages: readonly string[] };

/**
 * Returns a package.json and its package-lock.json that install the named packages and all that they require
 * in the versions of `lock`, which were tested. Throws if `lock` lacks one of them.
 */
export function pinDependencies(lock: Lock, { name, main, packages }: Manifest) {
  const pinned = new Map<string, LockedPackage>();
  for (const each of packages) pin(lock, pinned, `node_modules/${each}`);
  const dependencies = Object.fromEntries(
    packages.map((each) => [each, pinned.get(`node_modules/${each}`)?.version ?? '']),
  );
  const { lockfileVersion } = lock;
  return {
    'package.json': { name, private: true, main, dependencies },
    'package-lock.json': {
      name,
      lockfileVersion,
      packages: { '': { name, dependencies }, ...Object.fromEntries([...pinned].sort()) },
    },
  };
}

function pin(lock: Lock, pinned: Map<string, LockedPackage>, location: string): void {
  if (pinned.has(location)) return;
  const locked = lock.packages[location];
  if (!locked?.integrity) throw new Error(`package-lock.json does not pin ${location}: run npm install.`);
  // Without the URL: each installation uses its own registry.
  const { resolved: _, dev: __, ...kept } = locked as LockedPackage & { resolved?: string; dev?: boolean };
  pinned.set(location, kept);
  for (const name of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })) {
    pin(lock, pinned, locate(lock, location, name));
  }
}

/** Returns where Node.js finds a package that is required from `location`: beside it, or further up. */
function locate(lock: Lock, location: string, name: string): string {
  const nested = `${location}/node_modules/${name}`;
  if (nested in lock.packages || location === '') return nested.replace(/^\//, '');
  return locate(lock, location.slice(0, location.lastIndexOf('node_modules/')).replace(/\/$/, ''), name);
}
