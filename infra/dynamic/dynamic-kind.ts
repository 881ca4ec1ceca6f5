import type { Google } from '../google-api.ts';

/** A kind of resources as Pulumi's engine knows it, with its operations. */
export type DynamicKind<Inputs> = {
  /** Returns why no update may apply these inputs; undefined if it may. In a preview some may be unknown. */
  refuse?(olds: Partial<Inputs>, news: Inputs): string | undefined;
  /** Returns the inputs, completed from those of the update before. */
  check?(google: Google, olds: Partial<Inputs>, news: Inputs): Promise<Inputs>;
  /** Whether Google Cloud has something else than the inputs, so that an update without changes does the work. */
  hasDrifted?(google: Google, inputs: Inputs): Promise<boolean>;
  /** Does the work; `olds` is undefined for a new resource. Throws an Error that fails the update. */
  apply(google: Google, news: Inputs, olds?: Inputs): Promise<void>;
};
