/** What npm writes into package-lock.json: each package by its place, such as `node_modules/a/node_modules/b`. */
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
 * A package.json and its package-lock.json that install the named packages, and all that these need, in the very
 * versions of `lock`: what runs on Google Cloud is what was tested. Throws if `lock` lacks one of them.
 */
export function pinDependencies(lock: Lock, { name, main, packages }: Manifest) {
  const pinned = new Map<string, LockedPackage>();
  for (const each of packages) pin(lock, pinned, `node_modules/${each}`);
  const dependencies = Object.fromEntries(
    packages.map((each) => [each, pinned.get(`node_modules/${each}`)?.version ?? '']),
  );
  const { lockfileVersion } = lock;
  const places = Object.fromEntries([...pinned].sort());
  return {
    'package.json': { name, private: true, main, dependencies },
    'package-lock.json': { name, lockfileVersion, packages: { '': { name, dependencies }, ...places } },
  };
}

function pin(lock: Lock, pinned: Map<string, LockedPackage>, place: string): void {
  if (pinned.has(place)) return;
  const locked = lock.packages[place];
  if (!locked?.integrity) throw new Error(`package-lock.json does not pin ${place}: run npm install.`);
  // Where it came from is for the registry of whoever installs it to say.
  const { resolved: _, dev: __, ...kept } = locked as LockedPackage & { resolved?: string; dev?: boolean };
  pinned.set(place, kept);
  for (const name of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })) {
    pin(lock, pinned, findPlace(lock, place, name));
  }
}

/** Where Node.js finds a package that is required from `place`: beside it, or in a folder above. */
function findPlace(lock: Lock, place: string, name: string): string {
  const nested = `${place}/node_modules/${name}`;
  if (nested in lock.packages || place === '') return nested.replace(/^\//, '');
  return findPlace(lock, place.slice(0, place.lastIndexOf('node_modules/')).replace(/\/$/, ''), name);
}
