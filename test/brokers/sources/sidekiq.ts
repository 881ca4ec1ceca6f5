import { globSync } from 'node:fs';
import path from 'node:path';
import { debianFolder, softwareFolder } from '../support/cache.ts';
import { testQueueSource } from '../support/queue-loop.ts';
import type { QueueRow } from '../support/queue-rows.ts';
import { type Program, startProgram } from '../support/start-program.ts';
import { debianLibraries, startRedis } from '../support/start-redis.ts';

const usr = path.join(debianFolder, 'usr');
const gems = globSync('share/rubygems-integration/all/gems/*/lib', { cwd: usr });
const folders = ['lib/ruby/3.1.0', 'lib/x86_64-linux-gnu/ruby/3.1.0', 'lib/ruby/vendor_ruby', ...gems];

/** Starts Sidekiq on the Ruby of the unpacked packages, which does not know their folder. */
function startSidekiq(env: Readonly<Record<string, string>>): Program {
  const sidekiq = path.join(usr, 'share/rubygems-integration/all/gems/sidekiq-6.4.1/bin/sidekiq');
  const jobs = path.join(softwareFolder, 'sidekiq/failing_jobs.rb');
  return startProgram(
    [
      path.join(usr, 'bin/ruby3.1'),
      ...['--disable-gems', '-r', 'rubygems', sidekiq],
      ...['--require', jobs, '--concurrency', '1'],
    ],
    {
      env: {
        ...env,
        LD_LIBRARY_PATH: debianLibraries,
        RUBYLIB: folders.map((each) => path.join(usr, each)).join(':'),
        LANG: 'C.UTF-8',
      },
    },
  );
}

const dead = (type: string, reason: string, more: Partial<QueueRow>): QueueRow => ({
  eventKey: 'sidekiq:JID',
  type,
  id: 'JID',
  kind: 'sidekiq',
  topic: 'default',
  queue: null,
  key: null,
  reason,
  class: reason.split(':')[0] ?? null,
  hasStack: false,
  attempts: 1,
  contentType: 'application/json',
  body: null,
  headers: {},
  ...more,
});

testQueueSource('Sidekiq', {
  name: 'sidekiq',
  needs: ['debian'],
  start: async ({ capture, replayPort }) =>
    startSidekiq({
      REDIS_URL: `redis://127.0.0.1:${await startRedis()}`,
      CAPTURE: capture,
      REPLAY_PORT: `${replayPort}`,
    }),
  paths: { '*': '' },
  rows: [
    dead('ChargeJob', 'ArgumentError: payments answered 503: größer A-1001', {
      hasStack: true,
      attempts: 2,
      body: '{"retry":1,"queue":"default","backtrace":5,"args":["A-1001",{"amount":1.5}],"class":"ChargeJob","jid":"JID","created_at":now}',
    }),
    dead('ShipJob', 'RuntimeError: warehouse is closed', {
      body: '{"retry":0,"queue":"default","args":["größer – 注文",null],"class":"ShipJob","jid":"JID","created_at":now}',
    }),
  ],
  readMessage: ({ class: job, args, jid, queue, retry }) => ({ job, args, jid, queue, retry }),
});
