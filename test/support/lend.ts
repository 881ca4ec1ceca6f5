import { after, before } from 'node:test';

/** How suites of one process use a thing in turn. */
export type Loan<T> = {
  readonly make: () => Promise<T>;
  /** Makes it as it was, for the next suite. Resolves with false if that is not possible: it is closed. */
  readonly restore: (thing: T) => Promise<boolean>;
  readonly close: (thing: T) => Promise<unknown>;
};

const closings: (() => Promise<unknown>)[] = [];

/**
 * Returns a function that lends a suite a thing which is expensive to make. A process that runs many files
 * restores it after the suite and lends it to the next one.
 */
export function lend<T>({ make, restore, close }: Loan<T>): () => () => T {
  const idle: T[] = [];
  closings.push(() => Promise.all(idle.splice(0).map(close)));
  const takeBack = async (thing: T) => {
    // A thing that cannot be restored, such as one with a cut connection, is made again.
    const isReusable = process.env.DLO_TEST_QUEUE !== undefined && (await restore(thing).catch(() => false));
    if (isReusable) idle.push(thing);
    else await close(thing);
  };
  return () => {
    let lent: T | undefined;
    before(async () => {
      lent = idle.pop() ?? (await make());
    });
    after(async () => {
      if (lent !== undefined) await takeBack(lent);
      lent = undefined;
    });
    return () => {
      if (lent === undefined) throw new Error('It is lent only while tests run.');
      return lent;
    };
  };
}

/** Closes everything that no suite uses any more. */
export async function closeIdle(): Promise<void> {
  for (const close of closings) await close();
}
