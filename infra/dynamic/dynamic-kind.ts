import type { Google } from '../google-api.ts';

/** A kind of resources as Pulumi's engine knows it, with its operations. */
export type DynamicKind<Inputs> = {
  /** Returns why no update may apply these inputs; undefined if it may. In a preview some may be unknown. */
  refuse?(olds: Partial<Inputs>, news: Inputs): string | undefined;
  /** Returns the inputs, completed from those of the update before. */
  check?(google: Google, olds: Partial<Inputs>, news: Inputs): Promise<Inputs>;
  /** Whether an update has something to do. */
  hasChanged(google: Google, olds: Inputs, news: Inputs): Promise<boolean>;
  /** Does the work; `olds` is undefined for a new resource. Throws an Error that fails the update. */
  apply(google: Google, news: Inputs, olds?: Inputs): Promise<void>;
};
