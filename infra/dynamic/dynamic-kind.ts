import type { Google } from '../google-api.ts';

/** The numbers of attempts, as text, by what was attempted more than once. */
export type Attempts = Readonly<Record<string, string>>;

/** A kind of resources as Pulumi's engine knows it, with its operations. */
export type DynamicKind<Inputs> = {
  /** Throws an Error if no update may apply these inputs. In a preview some may be unknown. */
  refuse?(olds: Partial<Inputs>, news: Inputs): void;
  /**
   * Names what Google Cloud does not have as the last update meant it to be: it gets another attempt, which is a
   * difference even if nothing else is. Throws an Error that fails the preview.
   */
  findFailed?(google: Google, news: Inputs, olds: Inputs): Promise<readonly string[]>;
  /** Does the work; `olds` is undefined for a new resource. Throws an Error that fails the update. */
  apply(google: Google, news: Inputs, olds?: Inputs): Promise<void>;
};
