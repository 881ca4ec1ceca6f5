import type { ReadConfig } from '../../migrations/credentials.ts';
import type { Ask } from '../google-api.ts';

export type Deps = { readonly ask: Ask; readonly readConfig: ReadConfig };

/** A kind of resources as Pulumi's engine knows it, with its operations. */
export type DynamicKind<Inputs> = {
  /** Returns the inputs, completed from those of the update before. */
  check?(deps: Deps, olds: Partial<Inputs>, news: Inputs): Promise<Inputs>;
  /** Whether an update has something to do. */
  hasChanged(deps: Deps, olds: Inputs, news: Inputs): Promise<boolean>;
  /** Does the work; `olds` is undefined for a new resource. Throws an Error that fails the update. */
  apply(deps: Deps, news: Inputs, olds?: Inputs): Promise<void>;
};
