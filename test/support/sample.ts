import { it, type TestContext } from 'node:test';
import { seededRandom } from './seeded-random.ts';

// A run tries a tenth of what is expensive, each run another one, and `npm run test:all` all of it.
const isComplete = process.env.TEST_ALL !== undefined;
const share = isComplete ? 1 : 0.1;
/** npm test prints it: with TEST_SEED another run tries the same. */
const seed = Number(process.env.TEST_SEED ?? 1);

/** Returns a tenth of a product, in its order. */
export function sample<T>(product: readonly T[]): readonly T[] {
  const random = seededRandom(seed);
  const ranks = product.map(() => random());
  const limit = ranks.toSorted((a, b) => a - b)[Math.ceil(product.length * share) - 1] ?? 0;
  return product.filter((_, i) => (ranks[i] ?? 0) <= limit);
}

/** Returns how often a property is tried: a tenth of `times`. */
export function tries(times: number): number {
  return Math.ceil(times * share);
}

/** Returns one of the variants of a test, another one for each name. */
export function pickVariant<T>(name: string, variants: readonly T[]): readonly T[] {
  if (isComplete) return variants;
  const random = seededRandom([...name].reduce((sum, char) => Math.imul(sum, 31) + char.charCodeAt(0), seed));
  const index = Math.floor(random() * variants.length);
  return variants.slice(index, index + 1);
}

/** Tests one of the cases, another one for each name: each is expensive. */
export function itTriesOne(
  name: string,
  cases: Readonly<Record<string, (context: TestContext) => Promise<void>>>,
): void {
  for (const [title, test] of pickVariant(name, Object.entries(cases))) it(title, test);
}
