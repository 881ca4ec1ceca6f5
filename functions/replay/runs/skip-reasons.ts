/** Why events are left out of a run when it is made. */
export type Obstacle = 'leased' | 'delivered' | 'discarded' | 'no-route';

/** Why an event was skipped when its turn came: the same, and what can happen meanwhile. */
export type SkipReason = Obstacle | 'captured-again' | 'held-back' | 'gone' | 'patch';

/** For people: what it means, and what to do about it. */
export const obstacles: Readonly<Record<Obstacle, string>> = {
  leased: 'It is being delivered right now.',
  delivered: 'It was delivered already: set "includeSucceeded" to deliver it once more.',
  discarded: 'It was discarded: set "includeDiscarded" to deliver it all the same.',
  'no-route': 'No route matches it: configure one.',
};

/** For people, of a run that has begun. */
export const skipReasons: Readonly<Record<SkipReason, string>> = {
  leased: 'When its turn came somebody else was delivering it.',
  delivered: 'It was delivered meanwhile, by the schedule or another run.',
  discarded: 'It was discarded meanwhile.',
  'no-route': 'No route matches it any more.',
  'captured-again': 'It failed at its consumer again meanwhile: it is not the same as what was selected.',
  'held-back':
    'An earlier event of its key is not done, and its route is ordered: replay or discard that one first.',
  gone: 'It is not there any more: it was archived or deleted.',
  patch: 'The patch does not apply to it.',
};
