import { createHash } from 'node:crypto';
import { seededRandom } from '../support/seeded-random.ts';

/** Random numbers of a plan: the same seed and subject give the same ones, whatever else was drawn. */
export type Dice = {
  /** A number from `from` to `to`. */
  between(from: number, to: number): number;
  isBelow(probability: number): boolean;
  pick<T>(all: readonly T[]): T;
};

export function openDice(seed: number, subject: string): Dice {
  const random = seededRandom(createHash('sha256').update(`${seed} ${subject}`).digest().readInt32BE());
  return {
    between: (from, to) => from + random() * (to - from),
    isBelow: (probability) => random() < probability,
    pick: (all) => all[Math.floor(random() * all.length)] as never,
  };
}
