import { firstTick } from './outcomes.ts';
import type { Scene, Told } from './scene.ts';
import { refusalOf } from './target.ts';

/** Events that the loop of the articles takes at a time. */
const batch = 50;

/**
 * The loop of the articles on the same days: in each tick the 50 oldest events that are due, and
 * those that fail are due again at the next one. Returns the waits, in ticks, and how many healthy events it
 * never sends.
 */
export function playArticles(scene: Scene, ticks: number): { waits: number[]; never: number } {
  const waits: number[] = [];
  const told: Told[] = [];
  let open: Told[] = [];
  for (let tick = 0; tick < ticks; tick += 1) {
    const arrived = scene.arrivals(tick).map((each, i) => ({ ...each, n: told.length + i, tick }));
    told.push(...arrived);
    open.push(...arrived);
    const taken = new Set(
      open.slice(0, batch).filter((event) => refusalOf(scene, event, tick) === undefined),
    );
    for (const event of taken) waits.push(tick - (firstTick(scene, event, ticks) ?? tick));
    open = open.filter((event) => !taken.has(event));
  }
  const never = open.filter((event) => firstTick(scene, event, ticks) !== undefined);
  return { waits: [...waits.toSorted((a, b) => a - b), ...never.map(() => Infinity)], never: never.length };
}
