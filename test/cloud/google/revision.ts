import type { Json } from './json.ts';

/** The result of a successful build, which a Cloud Run service serves. */
export type Revision = {
  readonly number: number;
  /** The archive that was built. */
  readonly archive: Buffer;
  readonly entryPoint: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Names of secret versions by variable. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly account: string;
  readonly settings: Json;
};
